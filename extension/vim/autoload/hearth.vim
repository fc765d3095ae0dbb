" What plugin/hearth.vim starts: the server through ALE, and the menu.

" ALE's linter objects, by filetype.
let s:defined = {}

" Hearth as a linter of this buffer's filetype, and the menu's function.
function! hearth#Attach() abort
  if !has_key(s:defined, &filetype)
    call ale#linter#Define(&filetype, {
    \   'name': 'hearth',
    \   'lsp': 'stdio',
    \   'executable': g:hearth_command[0],
    \   'command': join(map(copy(g:hearth_command), 'ale#Escape(v:val)')),
    \   'project_root': function('s:Root'),
    \   'initialization_options': {'hearth': extend({'triggerKinds': '3.18'}, g:hearth_settings)},
    \})
    let l:linters = ale#linter#GetAll([&filetype])
    let s:defined[&filetype] = filter(copy(l:linters), 'v:val.name is# "hearth"')[0]
  endif
  setlocal omnifunc=hearth#Complete
endfunction

" The folder that holds .git. Where there is none, ALE wants some name all the same; one that is no path
" names no folder that would be indexed.
function! s:Root(buffer) abort
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  return empty(l:git) ? 'none' : fnamemodify(l:git, ':p:h:h')
endfunction

" Offsets in a line, in bytes from UTF-16 units and the reverse.
function! s:ByteIndex(line, units) abort
  let l:left = a:units
  let l:bytes = 0
  for l:code in str2list(a:line)
    if l:left <= 0
      break
    endif
    let l:left -= l:code > 0xFFFF ? 2 : 1
    let l:bytes += len(nr2char(l:code))
  endfor
  return l:bytes
endfunction

function! s:Units(line, bytes) abort
  let l:codes = str2list(strpart(a:line, 0, a:bytes))
  return len(l:codes) + len(filter(copy(l:codes), 'v:val > 0xFFFF'))
endfunction

" What was last asked of the server: where, and what is to be done with the answer.
let s:asked = {}

function! s:Here() abort
  return {'row': line('.'), 'column': col('.') - 1, 'line': getline('.')}
endfunction

function! s:Ask(method, Handle) abort
  let s:asked = extend(s:Here(), {'method': a:method, 'Handle': a:Handle})
  return ale#lsp_linter#StartLSP(bufnr(''), s:defined[&filetype], function('s:Send', [s:asked]))
endfunction

function! s:Place(details, asked) abort
  return {
  \   'textDocument': {'uri': ale#util#ToURI(expand('#' . a:details.buffer . ':p'))},
  \   'position': {
  \       'line': a:asked.row - 1,
  \       'character': s:Units(a:asked.line, a:asked.column),
  \   },
  \}
endfunction

function! s:Send(asked, linter, details) abort
  let l:connection = a:details.connection_id
  call ale#lsp#RegisterCallback(l:connection, function('s:Receive'))
  call ale#lsp#NotifyForChanges(l:connection, a:details.buffer)
  let l:params = extend(s:Place(a:details, a:asked), {'context': {'triggerKind': 1}})
  let a:asked.request = ale#lsp#Send(l:connection, [0, a:asked.method, l:params])
endfunction

function! s:Receive(connection, response) abort
  if get(a:response, 'id', -1) == get(s:asked, 'request', 0)
    call s:asked.Handle(get(a:response, 'result', v:null))
  endif
endfunction

function! s:Offer(result) abort
  let l:items = type(a:result) is v:t_dict ? a:result.items : a:result
  let s:asked.items = type(l:items) is v:t_list ? l:items : []
endfunction

function! s:Explain(result) abort
  echomsg 'Hearth: ' . (type(a:result) is v:t_dict ? a:result.message : 'no answer')
endfunction

" How long the cursor rests before the server is told that it is elsewhere, in milliseconds.
let s:rest = 200
let s:timer = -1
let s:seen = []

" Once the cursor rests elsewhere the server is told, so that it is warm before the first key.
function! hearth#Watch(moved) abort
  call timer_stop(s:timer)
  let l:seen = [bufnr(''), b:changedtick]
  " Else it moved with what is typed.
  if a:moved && l:seen == s:seen && has_key(s:defined, &filetype) && ale#Var(bufnr(''), 'enabled')
    let s:timer = timer_start(s:rest, {-> ale#lsp_linter#StartLSP(
    \   l:seen[0], s:defined[&filetype], function('s:Rest', [s:Here()]))})
  endif
  let s:seen = l:seen
endfunction

function! s:Rest(place, linter, details) abort
  call ale#lsp#NotifyForChanges(a:details.connection_id, a:details.buffer)
  call ale#lsp#Send(a:details.connection_id, [1, 'hearth/didFocus', s:Place(a:details, a:place)])
endfunction

" Says why no suggestion comes at the cursor.
function! hearth#Why() abort
  if !has_key(s:defined, &filetype)
    echomsg 'Hearth: g:hearth_filetypes leaves this file out'
  else
    call s:Ask('hearth/why', function('s:Explain'))
  endif
endfunction

" An 'omnifunc'. ALE's own cuts suggestions at the first parenthesis.
function! hearth#Complete(findstart, base) abort
  if !a:findstart
    return s:asked.words
  endif
  if !s:Ask('textDocument/completion', function('s:Offer'))
    return -3
  endif
  while !has_key(s:asked, 'items') && !complete_check()
    sleep 2m
  endwhile
  let l:start = s:asked.column
  let s:asked.words = []
  for l:item in get(s:asked, 'items', [])
    let l:range = l:item.textEdit.range
    let l:start = s:ByteIndex(s:asked.line, l:range.start.character)
    let l:end = s:ByteIndex(s:asked.line, l:range.end.character)
    call add(s:asked.words, {
    \   'word': l:item.textEdit.newText,
    \   'abbr': l:item.label,
    \   'menu': get(l:item, 'detail', ''),
    \   'user_data': {'hearth': {'behind': max([0, l:end - s:asked.column])}},
    \})
  endfor
  return l:start
endfunction

" Vim's menu inserts a word into a line: it cannot break the line, nor replace what is behind the
" cursor (a suggestion for `f(|)` may bring its own ')'). Both are done once the word is accepted.
function! hearth#Finish() abort
  let l:data = get(v:completed_item, 'user_data', '')
  if type(l:data) isnot v:t_dict || !has_key(l:data, 'hearth')
    return
  endif
  let l:word = v:completed_item.word
  let l:behind = l:data.hearth.behind
  if l:behind == 0 && stridx(l:word, "\n") < 0
    return
  endif
  let l:row = line('.')
  let l:column = col('.') - 1
  let l:lines = split(l:word, "\n", 1)
  let l:lines[0] = strpart(getline('.'), 0, l:column - len(l:word)) . l:lines[0]
  let l:end = len(l:lines[-1])
  let l:lines[-1] .= strpart(getline('.'), l:column + l:behind)
  call setline(l:row, l:lines[0])
  call append(l:row, l:lines[1:])
  call cursor(l:row + len(l:lines) - 1, l:end + 1)
endfunction
