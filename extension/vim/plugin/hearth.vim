" Hearth for Vim 9 (or 8.2) with ALE: `hearth lsp` as a language server of ALE for the filetypes in
" g:hearth_filetypes, and its suggestions for the cursor's line under <C-x><C-o>. :HearthWhy says why none
" comes at the cursor.

if exists('g:loaded_hearth')
  finish
endif
let g:loaded_hearth = 1

" The server's command line, one argument an element.
let g:hearth_command = get(g:, 'hearth_command', ['hearth', 'lsp'])
" Hearth's settings, e.g. {'completion': {'maxLines': 4}}.
let g:hearth_settings = get(g:, 'hearth_settings', {})
let g:hearth_filetypes = get(g:, 'hearth_filetypes', [
\   'c', 'cpp', 'cs', 'css', 'go', 'html', 'java', 'javascript', 'javascriptreact', 'lua', 'php',
\   'python', 'ruby', 'rust', 'sh', 'sql', 'typescript', 'typescriptreact',
\])

command! HearthWhy call hearth#Why()

augroup hearth
  autocmd!
  autocmd FileType * if index(g:hearth_filetypes, &filetype) >= 0 | call hearth#Attach() | endif
  autocmd CursorMoved,CursorMovedI * call hearth#Watch(v:true)
  autocmd BufEnter,TextChanged,TextChangedI * call hearth#Watch(v:false)
  autocmd CompleteDone * call hearth#Finish()
augroup END
