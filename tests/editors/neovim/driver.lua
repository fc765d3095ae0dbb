-- Runs inside Neovim: attaches Hearth to the file in CASE_FILE, puts the cursor at CASE_LINE and
-- CASE_COLUMN (from 0, in bytes), and has the function named in CASE_ACTION accept a completion.
-- Everything waits on an event; a deadline ends a run in which one doesn't come.

local env = vim.env
local actions = {}

local function fail(reason)
  io.stderr:write(reason .. '\n')
  vim.cmd('cquit 1')
end

vim.defer_fn(function()
  fail('timed out in mode ' .. vim.api.nvim_get_mode().mode .. ', messages:\n' .. vim.fn.execute('messages'))
end, tonumber(env.CASE_TIMEOUT_MS))

-- Low-level input, as from a terminal: the keys that a user types.
local function press(keys)
  vim.api.nvim_input(keys)
end

local function go_to_cursor()
  vim.api.nvim_win_set_cursor(0, { env.CASE_LINE + 1, tonumber(env.CASE_COLUMN) })
  local at_end = tonumber(env.CASE_COLUMN) == #vim.api.nvim_get_current_line()
  press((at_end and 'A' or 'i') .. (env.CASE_TYPED or ''))
end

-- Calls action once, when event comes.
local function once(event, action)
  vim.api.nvim_create_autocmd(event, { once = true, callback = action })
end

-- <C-x><C-o>, then <C-y> when the menu is there, then save.
function actions.omni()
  vim.o.completeopt = 'menuone' -- a menu for one item too
  once('CompleteChanged', function()
    once('CompleteDone', function()
      press('<Esc>:wqa<CR>')
    end)
    press('<C-y>')
  end)
  go_to_cursor()
  press('<C-x><C-o>')
end

-- The key that inserts a suggestion at once.
function actions.key()
  local function ask()
    once('TextChangedI', function()
      press('<Esc>:wqa<CR>')
    end)
    press('<M-Bslash>')
  end
  once(env.CASE_TYPED and 'TextChangedI' or 'InsertEnter', ask)
  go_to_cursor()
end

local ghost = require('hearth.ghost')

-- Calls action when condition() holds: what is waited for has no event.
local function when(condition, action)
  if condition() then
    action()
  else
    vim.defer_fn(function()
      when(condition, action)
    end, 10)
  end
end

local function when_visible(action)
  when(ghost.visible, action)
end

-- The first line of the ghost text, Hearth's own unless said otherwise; nil where there is none.
local function drawn(whose)
  local namespace = vim.api.nvim_get_namespaces()[whose or 'hearth']
  local mark = namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })[1]
  return mark and mark[4].virt_text[1][1]
end

-- The ghost text, accepted by <Tab>.
function actions.ghost()
  go_to_cursor()
  when_visible(function()
    press('<Tab>')
    press('<Esc>:wqa<CR>')
  end)
end

-- The ghost text hidden, and <Tab> what it was before.
function actions.declined()
  go_to_cursor()
  when_visible(function()
    press('<C-]><Tab>done<Esc>:wqa<CR>')
  end)
end

-- Its first word alone.
function actions.word()
  go_to_cursor()
  when_visible(function()
    ghost.enabled = false -- only this suggestion
    press('<M-Right><Esc>:wqa<CR>')
  end)
end

-- The same, when its first two characters were typed.
function actions.typed_on()
  go_to_cursor()
  when_visible(function()
    ghost.enabled = false
    local before = drawn()
    press(before:sub(1, 2))
    when(function()
      return drawn() == before:sub(3)
    end, function()
      press('<Tab><Esc>:wqa<CR>')
    end)
  end)
end

-- Another than the first.
function actions.another()
  go_to_cursor()
  when_visible(function()
    local first = drawn()
    press('<M-]>')
    when(function()
      return drawn() and drawn() ~= first
    end, function()
      press('<Tab><Esc>:wqa<CR>')
    end)
  end)
end

-- The same with settings that came when the server ran.
function actions.settings()
  require('hearth').setup({
    cmd = vim.json.decode(env.CASE_SERVER),
    settings = vim.json.decode(env.CASE_OTHER_SETTINGS),
  })
  actions.another()
end

-- The cursor moved and at rest, moved on and on, and moved by what is typed.
function actions.rests()
  local client_api = require('hearth.client')
  local notify, told = client_api.notify, {}
  client_api.notify = function(client, method, params)
    table.insert(told, method == 'hearth/didFocus' and params.position.line or method)
    notify(client, method, params)
  end
  local last = vim.api.nvim_buf_line_count(0) - 1
  press('G')
  when(function()
    return told[1]
  end, function()
    press('ggGgg')
    when(function()
      return told[2]
    end, function()
      press('Oxyz')
      vim.defer_fn(function()
        if not vim.deep_equal(told, { last, 0 }) then
          fail('told: ' .. vim.inspect(told))
        end
        press('<Esc>:qa!<CR>')
      end, 600)
    end)
  end)
end

-- The file under another name, saved before and not.
local function rename_by(command)
  press((':%s %s<CR>'):format(command, vim.fn.fnameescape(vim.fn.expand('%:h') .. '/renamed.py')))
  when(function()
    return vim.fn.expand('%:t') == 'renamed.py'
  end, actions.ghost)
end
function actions.saveas()
  rename_by('saveas')
end
function actions.file()
  rename_by('file')
end

-- Another server than before.
local function with_another_server(stop_this)
  local client_of = require('hearth.client').of
  local old = client_of(0).id
  stop_this()
  when(function()
    local client = client_of(0)
    return client and client.id ~= old
  end, actions.ghost)
end
function actions.crashed()
  with_another_server(function()
    local pid = vim.fn.getpid()
    local children = vim.fn.readfile(('/proc/%d/task/%d/children'):format(pid, pid))
    for child in children[1]:gmatch('%d+') do
      vim.loop.kill(tonumber(child), 'sigkill')
    end
  end)
end
function actions.restarted()
  with_another_server(function()
    press(':Hearth restart<CR>')
  end)
end

-- Another language's server in the same buffer.
local function beside_another(action)
  local config = { name = 'other', cmd = vim.json.decode(env.CASE_OTHER_SERVER) }
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.lsp.start then
    vim.lsp.start(config)
  else
    vim.lsp.buf_attach_client(bufnr, vim.lsp.start_client(config))
  end
  when(function()
    return #vim.tbl_filter(function(client)
      return vim.lsp.buf_is_attached(bufnr, client.id)
    end, (vim.lsp.get_clients or vim.lsp.get_active_clients)()) == 2
  end, function()
    local hearth = require('hearth.client').of(bufnr)
    assert(not hearth.server_capabilities.completionProvider, 'Hearth is in the menu of the other server')
    action()
  end)
end
function actions.beside_ghost()
  beside_another(actions.ghost)
end
function actions.beside_key()
  beside_another(actions.key)
end

-- The same word by word, and line by line: <Tab> types itself when nothing is left.
local function accept_by(key)
  go_to_cursor()
  local function step()
    if not ghost.visible() then
      return press('<Esc>:wqa<CR>')
    end
    press(key)
    vim.defer_fn(step, 50)
  end
  when_visible(function()
    ghost.enabled = false -- only this suggestion
    step()
  end)
end
function actions.words()
  accept_by('<M-Right>')
end
function actions.lines()
  accept_by('<M-Down>')
end

-- Calls action with what Neovim itself draws behind the cursor, when it does.
local function when_drawn(action)
  when(function()
    return drawn('nvim.lsp.inline_completion')
  end, function()
    action(drawn('nvim.lsp.inline_completion'))
  end)
end

-- Presses a key that accepts, and saves when Neovim has accepted: it does so in its own time.
local function accept_drawn(key)
  local tick = vim.api.nvim_buf_get_changedtick(0)
  press(key)
  when(function()
    return vim.api.nvim_buf_get_changedtick(0) ~= tick
  end, function()
    press('<Esc>:wqa<CR>')
  end)
end

-- The text that Neovim itself draws, accepted whole.
function actions.native()
  go_to_cursor()
  when_drawn(function()
    accept_drawn('<Tab>')
  end)
end

-- The same, when its first two characters were typed before Neovim asked again.
function actions.native_typed()
  go_to_cursor()
  when_drawn(function(drawn)
    accept_drawn(drawn:sub(1, 2) .. '<Tab>')
  end)
end

-- Its first word alone.
function actions.native_word()
  go_to_cursor()
  when_drawn(function()
    accept_drawn('<M-Right>')
  end)
end

-- A raw request, whose first item is applied.
function actions.raw()
  vim.api.nvim_win_set_cursor(0, { env.CASE_LINE + 1, tonumber(env.CASE_COLUMN) })
  local position = { line = tonumber(env.CASE_LINE), character = tonumber(env.CASE_UTF16) }
  local answers, problem = vim.lsp.buf_request_sync(0, 'textDocument/inlineCompletion', {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = position,
    context = { triggerKind = 1 },
  }, tonumber(env.CASE_TIMEOUT_MS))
  local _, answer = next(answers or {})
  if not (answer and answer.result and answer.result.items[1]) then
    error('no item: ' .. vim.inspect(answers) .. ' ' .. tostring(problem))
  end
  local item = answer.result.items[1]
  local edit = { range = item.range, newText = item.insertText }
  vim.lsp.util.apply_text_edits({ edit }, vim.api.nvim_get_current_buf(), 'utf-16')
  vim.cmd('wqa')
end

local function run()
  require('hearth').setup({
    cmd = vim.json.decode(env.CASE_SERVER),
    settings = vim.json.decode(env.CASE_SETTINGS),
    native = env.CASE_ACTION:find('^native') ~= nil,
  })
  vim.cmd('edit ' .. vim.fn.fnameescape(env.CASE_FILE))
  -- Neovim 0.7 has no event for an attached client; the option that Hearth sets then is the sign.
  local attached = vim.wait(tonumber(env.CASE_TIMEOUT_MS), function()
    return vim.bo.omnifunc:find('hearth', 1, true) ~= nil
  end, 10)
  if not attached then
    error('Hearth did not attach')
  end
  actions[env.CASE_ACTION]()
end

local ran, problem = xpcall(run, debug.traceback)
if not ran then
  fail(problem)
end
