-- Hearth for Neovim 0.7 and later: starts `hearth lsp`, attaches it to files, sets the keys.
--
--   require('hearth').setup{}          -- or with any of the options below
--
-- Where Neovim draws inline completions itself (vim.lsp.inline_completion, 0.12), suggestions are
-- ghost text: `accept` takes one, `next` and `previous` change it. Everywhere `complete` inserts a
-- suggestion at once, and <C-x><C-o> offers the suggestions for the cursor's line in a menu.

local M = {}

local options = {
  cmd = { 'hearth', 'lsp' },
  -- Filetypes to attach to; nil: every file that has one.
  filetypes = nil,
  -- What the folder of a workspace holds.
  root_markers = { '.git', '.hg', '.hearthignore' },
  -- Hearth's settings, e.g. { completion = { maxLines = 4 } }.
  settings = {},
  -- false leaves a key alone.
  keys = {
    accept = '<Tab>',
    next = '<M-]>',
    previous = '<M-[>',
    complete = '<M-Bslash>',
  },
}

-- Before Neovim 0.8, which reuses clients itself: client ids by root.
local clients = {}

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  for _, marker in ipairs(options.root_markers) do
    local found = vim.fn.finddir(marker, folder .. ';')
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h:h')
    end
    found = vim.fn.findfile(marker, folder .. ';')
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h')
    end
  end
end

-- The Hearth client of a buffer, if any.
local function client_of(bufnr)
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == 'hearth' and vim.lsp.buf_is_attached(bufnr, client.id) then
      return client
    end
  end
end

-- Tells the server where the user is, so that it is warm before the first key.
local function notify_focus(bufnr)
  local client = client_of(bufnr)
  if not client then
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  if vim.fn.has('nvim-0.11') == 1 then
    client:notify('hearth/didFocus', params)
  else
    client.notify('hearth/didFocus', params)
  end
end

local function map(bufnr, key, action, description, expr)
  if key then
    vim.keymap.set('i', key, action, { buffer = bufnr, desc = description, expr = expr or false })
  end
end

local function on_attach(client, bufnr)
  vim.api.nvim_buf_set_option(bufnr, 'omnifunc', "v:lua.require'hearth'.omnifunc")
  map(bufnr, options.keys.complete, M.complete, 'Hearth: insert a suggestion')
  local inline = vim.lsp.inline_completion
  if inline then
    inline.enable(true, { client_id = client.id })
    map(bufnr, options.keys.accept, function()
      return inline.get() and '' or options.keys.accept
    end, 'Hearth: accept the suggestion', true)
    map(bufnr, options.keys.next, function()
      inline.select({ count = 1 })
    end, 'Hearth: next suggestion')
    map(bufnr, options.keys.previous, function()
      inline.select({ count = -1 })
    end, 'Hearth: previous suggestion')
  end
end

local function attach(bufnr)
  local filetype = vim.api.nvim_buf_get_option(bufnr, 'filetype')
  local file = vim.api.nvim_buf_get_name(bufnr)
  if vim.api.nvim_buf_get_option(bufnr, 'buftype') ~= '' or file == '' or filetype == '' then
    return
  end
  if options.filetypes and not vim.tbl_contains(options.filetypes, filetype) then
    return
  end
  local root = root_of(file)
  local config = {
    name = 'hearth',
    cmd = options.cmd,
    root_dir = root,
    init_options = { hearth = vim.tbl_extend('keep', { triggerKinds = '3.18' }, options.settings) },
    settings = next(options.settings) and { hearth = options.settings } or nil,
    on_attach = on_attach,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = bufnr })
    return
  end
  local key = root or ''
  if not (clients[key] and vim.lsp.get_client_by_id(clients[key])) then
    clients[key] = vim.lsp.start_client(config)
  end
  if clients[key] then
    vim.lsp.buf_attach_client(bufnr, clients[key])
  end
end

local function byte_index(line, character, encoding)
  return encoding == 'utf-8' and character or vim.str_byteindex(line, character, encoding == 'utf-16')
end

-- Puts text in the place of the bytes from first to last of a line, and the cursor behind it.
local function replace(row, first, last, text)
  local lines = vim.split(text, '\n', { plain = true })
  vim.api.nvim_buf_set_text(0, row, first, row, last, lines)
  vim.api.nvim_win_set_cursor(0, { row + #lines, #lines[#lines] + (#lines == 1 and first or 0) })
end

-- Inserts the best suggestion at the cursor, all its lines at once.
function M.complete()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if not client then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { triggerKind = 1 }
  vim.lsp.buf_request(bufnr, 'textDocument/inlineCompletion', params, function(_, result, context)
    local item = result and context.client_id == client.id and (result.items or result)[1]
    if
      not item
      or vim.api.nvim_get_current_buf() ~= bufnr
      or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick
      or not vim.deep_equal(vim.api.nvim_win_get_cursor(0), cursor)
    then
      return
    end
    local range = item.range or { start = params.position, ['end'] = params.position }
    local line = vim.api.nvim_get_current_line()
    local first = byte_index(line, range.start.character, client.offset_encoding)
    local last = byte_index(line, range['end'].character, client.offset_encoding)
    replace(range.start.line, first, last, item.insertText)
  end)
end

-- Where the menu was last asked for.
local asked

function M.omnifunc(findstart, base)
  if findstart == 1 then
    local cursor = vim.api.nvim_win_get_cursor(0)
    asked = { row = cursor[1] - 1, column = cursor[2], line = vim.api.nvim_get_current_line() }
  end
  return vim.lsp.omnifunc(findstart, base)
end

-- The menu inserts a word into a line: it cannot break the line, nor replace what is behind the
-- cursor (a suggestion for `f(|)` may bring its own ')'), and from Neovim 0.11 on it stops at the
-- first blank. The rest is done once the word is accepted.
local function finish_accepted()
  local client = client_of(vim.api.nvim_get_current_buf())
  local item = vim.tbl_get(vim.v.completed_item, 'user_data', 'nvim', 'lsp', 'completion_item')
  if not (client and asked and item and item.textEdit and item.detail == 'Hearth') then
    return
  end
  local range, text = item.textEdit.range, item.textEdit.newText
  local first = byte_index(asked.line, range.start.character, client.offset_encoding)
  local last = byte_index(asked.line, range['end'].character, client.offset_encoding)
  local behind = math.max(0, last - asked.column)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local inserted = vim.api.nvim_get_current_line():sub(first + 1, cursor[2])
  local unfinished = behind > 0 or inserted ~= text or text:find('\n', 1, true)
  if unfinished and cursor[1] - 1 == asked.row and cursor[2] >= first then
    replace(asked.row, first, cursor[2] + behind, text)
  end
  asked = nil
end

function M.setup(given)
  options = vim.tbl_deep_extend('force', options, given or {})
  local group = vim.api.nvim_create_augroup('hearth', {})
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      attach(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'FocusGained' }, {
    group = group,
    callback = function(event)
      notify_focus(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('CompleteDone', { group = group, callback = finish_accepted })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      attach(bufnr)
    end
  end
end

return M
