-- Hearth for Neovim 0.7 and later: starts `hearth lsp` beside the language's own servers, shows suggestions
-- as ghost text, sets the keys. `:help hearth` has it all.
--
--   require('hearth').setup{}          -- or with any of the options below

local client_api = require('hearth.client')
local ghost = require('hearth.ghost')
local native = require('hearth.native')
local server = require('hearth.server')
local text_api = require('hearth.text')
local words = require('hearth.words')

local M = {}

local defaults = {
  cmd = { 'hearth', 'lsp' },
  -- Filetypes to attach to; nil: every file that has one.
  filetypes = nil,
  -- What the folder of a workspace holds.
  root_markers = { '.git', '.hg', '.hearthignore' },
  -- Hearth's settings, e.g. { completion = { maxLines = 4 } }.
  settings = {},
  -- Whether menus that ask every server ask Hearth, too; <C-x><C-o> does in any case.
  menu = false,
  -- Neovim's own inline completion (0.12) instead of Hearth's ghost text, where there is one. It asks 200 ms
  -- after the last key, hides nothing by a key, and knows no other suggestions than those it was sent.
  native = false,
  -- false leaves a key alone.
  keys = {
    accept = '<Tab>',
    accept_word = '<M-Right>',
    accept_line = '<M-Down>',
    next = '<M-]>',
    previous = '<M-[>',
    dismiss = '<C-]>',
    complete = '<M-Bslash>',
  },
}

-- Those of the last setup{}, which says all.
local options = defaults

-- Tells the server where the user is, so that it is warm before the first key.
local function notify_focus(bufnr)
  local client = client_api.of(bufnr)
  if client then
    client_api.notify(client, 'hearth/didFocus', vim.lsp.util.make_position_params(0, client.offset_encoding))
  end
end

-- How long the cursor rests before the server is told that it is elsewhere.
local rest_ms = 200

-- Of the current buffer as the cursor was last seen in it, and how often it was.
local seen_tick, seen_times = nil, 0

local function notify_rest(event)
  local tick = vim.api.nvim_buf_get_changedtick(event.buf)
  local moves = event.event:find('^CursorMoved') and tick == seen_tick -- else with what is typed
  seen_tick, seen_times = tick, seen_times + 1
  local times = seen_times
  if moves then
    vim.defer_fn(function()
      if times == seen_times then
        notify_focus(event.buf)
      end
    end, rest_ms)
  end
end

local function map(bufnr, key, action, description)
  if key then
    vim.keymap.set('i', key, action, { buffer = bufnr, desc = 'Hearth: ' .. description })
  end
end

-- Maps a key to taken(), which says what to type instead of it; where that is nil, the key does what it did before.
local function map_over(bufnr, key, taken, description)
  if not key then
    return
  end
  local before = vim.fn.maparg(key, 'i', false, true)
  local function otherwise()
    if before.expr == 1 then
      return before.callback and before.callback() or vim.api.nvim_eval(before.rhs)
    elseif before.callback then
      vim.schedule(before.callback)
      return ''
    end
    return before.rhs or key
  end
  vim.keymap.set('i', key, function()
    return taken() or otherwise()
  end, { buffer = bufnr, expr = true, remap = before.noremap == 0, desc = 'Hearth: ' .. description })
end

local function set_native_keys(bufnr)
  local keys = options.keys
  local function accepting(key, part)
    return function()
      return native.accept(bufnr, key, part) and '' or nil
    end
  end
  map_over(bufnr, keys.accept, accepting(keys.accept), 'accept the suggestion')
  map_over(bufnr, keys.accept_word, accepting(keys.accept_word, words.first_word), 'accept its next word')
  map_over(bufnr, keys.accept_line, accepting(keys.accept_line, words.first_line), 'accept its next line')
  map(bufnr, keys.next, function()
    vim.lsp.inline_completion.select({ count = 1 })
  end, 'next suggestion')
  map(bufnr, keys.previous, function()
    vim.lsp.inline_completion.select({ count = -1 })
  end, 'previous suggestion')
end

local function set_ghost_keys(bufnr)
  local keys = options.keys
  local function visible(action)
    return function() -- an expression may not change the text, a command may
      return ghost.visible() and '<Cmd>lua require("hearth.ghost").' .. action .. '()<CR>' or nil
    end
  end
  map_over(bufnr, keys.accept, visible('accept'), 'accept the suggestion')
  map_over(bufnr, keys.accept_word, visible('accept_word'), 'accept its next word')
  map_over(bufnr, keys.accept_line, visible('accept_line'), 'accept its next line')
  map_over(bufnr, keys.dismiss, visible('dismiss'), 'hide the suggestion')
  map(bufnr, keys.next, function()
    ghost.cycle(1)
  end, 'next suggestion')
  map(bufnr, keys.previous, function()
    ghost.cycle(-1)
  end, 'previous suggestion')
end

-- Whether Neovim itself draws the suggestions.
local function is_native()
  return options.native and vim.lsp.inline_completion ~= nil
end

local function on_attach(client, bufnr)
  vim.api.nvim_buf_set_option(bufnr, 'omnifunc', "v:lua.require'hearth'.omnifunc")
  map(bufnr, options.keys.complete, M.complete, 'insert a suggestion')
  if is_native() then
    vim.lsp.inline_completion.enable(true, { client_id = client.id })
  end
  if not vim.b[bufnr].hearth_keys then
    vim.b[bufnr].hearth_keys = true
    local set_keys = is_native() and set_native_keys or set_ghost_keys
    set_keys(bufnr)
  end
  if bufnr == vim.api.nvim_get_current_buf() then
    notify_focus(bufnr)
  end
end

-- Inserts the best suggestion at the cursor, all its lines at once.
function M.complete()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_api.of(bufnr)
  if not client then
    return
  end
  ghost.stand_back()
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { triggerKind = 1 }
  client_api.request(client, 'textDocument/inlineCompletion', params, bufnr, function(result)
    local item = result and (result.items or result)[1]
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
    local first = client_api.byte_index(client, line, range.start.character)
    local last = client_api.byte_index(client, line, range['end'].character)
    text_api.replace(range.start.line, first, last, item.insertText)
  end)
end

-- Where the menu was last asked for.
local asked

function M.omnifunc(findstart, base)
  if findstart == 1 then
    local cursor = vim.api.nvim_win_get_cursor(0)
    asked = { row = cursor[1] - 1, column = cursor[2], line = vim.api.nvim_get_current_line() }
  end
  local client = client_api.of(vim.api.nvim_get_current_buf())
  local function complete()
    return vim.lsp.omnifunc(findstart, base)
  end
  return client and server.with_completion(client, complete) or complete()
end

-- The menu inserts a word into a line: it cannot break the line, nor replace what is behind the
-- cursor (a suggestion for `f(|)` may bring its own ')'), and from Neovim 0.11 on it stops at the
-- first blank. The rest is done once the word is accepted.
local function finish_accepted()
  local client = client_api.of(vim.api.nvim_get_current_buf())
  local item = vim.tbl_get(vim.v.completed_item, 'user_data', 'nvim', 'lsp', 'completion_item')
  if not (client and asked and item and item.textEdit and item.detail == 'Hearth') then
    return
  end
  local range, text = item.textEdit.range, item.textEdit.newText
  local first = client_api.byte_index(client, asked.line, range.start.character)
  local last = client_api.byte_index(client, asked.line, range['end'].character)
  local behind = math.max(0, last - asked.column)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local inserted = vim.api.nvim_get_current_line():sub(first + 1, cursor[2])
  local unfinished = behind > 0 or inserted ~= text or text:find('\n', 1, true)
  if unfinished and cursor[1] - 1 == asked.row and cursor[2] >= first then
    text_api.replace(asked.row, first, cursor[2] + behind, text)
  end
  asked = nil
end

-- What starts the server.
function M.command()
  return options.cmd
end

-- One line for a status line.
function M.status()
  if not ghost.enabled or vim.b.hearth_enabled == false then
    return 'Hearth: off'
  end
  local status = server.status
  return 'Hearth: ' .. status.state .. (status.state == 'ready' and ' (' .. status.model .. ')' or '')
end

local function set_enabled(on)
  ghost.enabled = on
  ghost.clear()
  if is_native() then
    vim.lsp.inline_completion.enable(on)
  end
end

-- Says of the cursor's place why no suggestion comes there.
local function why()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_api.of(bufnr)
  if not client then
    return print(M.status())
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  client_api.request(client, 'hearth/why', params, bufnr, function(result)
    print('Hearth: ' .. (result and result.message or 'no answer'))
  end)
end

local subcommands = {
  enable = function()
    set_enabled(true)
  end,
  disable = function()
    set_enabled(false)
  end,
  toggle = function()
    set_enabled(not ghost.enabled)
  end,
  why = why,
  status = function()
    local message = server.status.message
    local lines = { M.status() .. (message and ': ' .. message or '') }
    print(table.concat(vim.list_extend(lines, server.status.problems or {}), '\n'))
  end,
  restart = server.restart,
  complete = M.complete,
}

local function add_command()
  vim.api.nvim_create_user_command('Hearth', function(given)
    local subcommand = subcommands[given.args]
    if subcommand then
      subcommand()
    else
      vim.notify('Hearth has no command "' .. given.args .. '"', vim.log.levels.ERROR)
    end
  end, {
    nargs = 1,
    complete = function()
      return vim.tbl_keys(subcommands)
    end,
    desc = 'Hearth: enable, disable, toggle, status, why, restart, complete',
  })
end

function M.setup(given)
  local settings = options.settings
  options = vim.tbl_deep_extend('force', defaults, given or {})
  local group = vim.api.nvim_create_augroup('hearth', {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'FocusGained' }, {
    group = group,
    callback = function(event)
      notify_focus(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI' }, {
    group = group,
    callback = notify_rest,
  })
  vim.api.nvim_create_autocmd('CompleteDone', { group = group, callback = finish_accepted })
  add_command()
  if not is_native() then
    ghost.setup(group)
  end
  server.setup(group, options, on_attach)
  if not vim.deep_equal(options.settings, settings) then
    server.configure()
  end
end

return M
