-- Ghost text for Neovims that draw no inline completions themselves: asks at every change in insert mode,
-- shows the rest of the suggestion behind the cursor, and keeps it while what is typed agrees with it.

local client_of = require('hearth.client').of
local client_api = require('hearth.client')
local text_api = require('hearth.text')
local words = require('hearth.words')

local M = { enabled = true }

local namespace = vim.api.nvim_create_namespace('hearth')
local draws_inline = vim.fn.has('nvim-0.10') == 1

-- Answers slower than this are not asked for at every key of a burst.
local fast_ms, longest_wait_ms = 30, 75

-- What stands behind the cursor. The suggestion `text` replaces the bytes from `first` to the cursor and
-- `behind` bytes after it, on line `row`; `after` is what was to the cursor's right.
local shown
-- The alternatives, when they were asked for.
local alternatives, chosen = {}, 1

local asking, timer_tick, latency_ms = nil, 0, 0
local asked_at

local function insert_mode()
  return vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
end

local function place()
  local cursor = vim.api.nvim_win_get_cursor(0)
  return cursor[1] - 1, cursor[2], vim.api.nvim_get_current_line()
end

-- What of the suggestion is not typed yet; nil where it doesn't fit any more.
local function rest()
  if not shown or shown.bufnr ~= vim.api.nvim_get_current_buf() then
    return nil
  end
  local row, column, line = place()
  local typed = line:sub(shown.first + 1, column)
  if row ~= shown.row or column < shown.first or line:sub(column + 1) ~= shown.after then
    return nil
  end
  local left = shown.text:sub(1, #typed) == typed and shown.text:sub(#typed + 1) or ''
  return left ~= '' and left or nil
end

local function erase()
  if shown and vim.api.nvim_buf_is_valid(shown.bufnr) then
    vim.api.nvim_buf_clear_namespace(shown.bufnr, namespace, 0, -1)
  end
end

local function draw(left)
  local row, column, line = place()
  local lines = vim.split(left, '\n', { plain = true })
  local tail = line:sub(column + shown.behind + 1)
  local first = { { lines[1], 'HearthSuggestion' } }
  local inline = draws_inline and shown.behind == 0 and #lines == 1
  if not inline and #lines == 1 and tail ~= '' then
    table.insert(first, { tail })
  end
  local below = {}
  for i = 2, #lines do
    below[i - 1] = { { lines[i], 'HearthSuggestion' } }
    if i == #lines and tail ~= '' then
      table.insert(below[i - 1], { tail })
    end
  end
  if #lines > 1 then -- the tail moves below: its old place is painted over
    local over = math.max(0, vim.fn.strdisplaywidth(line:sub(column + 1)) - vim.fn.strdisplaywidth(lines[1]))
    table.insert(first, { string.rep(' ', over) })
  end
  vim.api.nvim_buf_set_extmark(shown.bufnr, namespace, row, column, {
    id = 1,
    virt_text = first,
    virt_text_pos = inline and 'inline' or 'overlay',
    virt_lines = #below > 0 and below or nil,
    hl_mode = 'combine',
  })
end

local function show(item, client)
  local row, column, line = place()
  local range = item.range
  local first, last = column, column
  if range then
    first = client_api.byte_index(client, line, range.start.character)
    last = client_api.byte_index(client, line, range['end'].character)
  end
  shown = {
    bufnr = vim.api.nvim_get_current_buf(),
    row = row,
    first = first,
    behind = math.max(0, last - column),
    after = line:sub(column + 1),
    text = item.insertText,
    command = item.command,
  }
  local left = rest()
  if left then
    draw(left)
  else
    shown = nil
  end
end

function M.clear()
  erase()
  shown = nil
end

local function stop_asking()
  timer_tick = timer_tick + 1
  if asking then
    local client = client_of(asking.bufnr)
    if client then
      client_api.cancel(client, asking.id)
    end
    asking = nil
  end
end

-- kind: 1 by hand, which brings alternatives, 2 while typing.
local function ask(kind, answered)
  stop_asking()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { triggerKind = kind }
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local row, column = place()
  local began = vim.loop.hrtime()
  local id = client_api.request(client, 'textDocument/inlineCompletion', params, bufnr, function(result)
    asking = nil
    latency_ms = (vim.loop.hrtime() - began) / 1e6
    local items = result and (result.items or result) or {}
    local now_row, now_column = place()
    if
      not insert_mode()
      or vim.api.nvim_get_current_buf() ~= bufnr
      or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick
      or now_row ~= row
      or now_column ~= column
    then
      return
    end
    if items[1] or kind == 2 and vim.fn.pumvisible() == 0 then
      erase()
      shown, alternatives, chosen = nil, items, 1
    end
    if items[1] and vim.fn.pumvisible() == 0 then
      show(items[1], client)
    end
    if answered then
      answered(client)
    end
  end)
  asking = id and { bufnr = bufnr, id = id } or nil
end

-- Leaves this state of the text to a request by hand, which an automatic one would supersede.
function M.stand_back()
  stop_asking()
  M.clear()
  asked_at = vim.api.nvim_buf_get_changedtick(0)
end

local function wanted()
  return M.enabled and vim.b.hearth_enabled ~= false and vim.bo.modifiable and not vim.bo.readonly
end

-- After a change: what still fits stays, and the server is asked for what comes next.
local function changed()
  local left = rest()
  if left then
    erase()
    draw(left)
  else
    M.clear()
  end
  local tick = vim.api.nvim_buf_get_changedtick(0)
  if tick == asked_at or not wanted() or not insert_mode() then
    return
  end
  asked_at = tick
  stop_asking()
  local mine = timer_tick
  local wait = latency_ms < fast_ms and 0 or math.min(latency_ms, longest_wait_ms)
  if wait == 0 then
    return ask(2)
  end
  vim.defer_fn(function()
    if mine == timer_tick and insert_mode() then
      ask(2)
    end
  end, math.floor(wait))
end

local function moved()
  if shown and not rest() then
    M.clear()
  end
end

function M.visible()
  return insert_mode() and vim.fn.pumvisible() == 0 and rest() ~= nil
end

-- Inserts the whole suggestion, or what part(rest) gives of it; false where there is none.
function M.accept(part)
  local left = rest()
  if not left then
    return false
  end
  vim.cmd('let &undolevels = &undolevels') -- a step of its own for `u`
  local client = client_of(shown.bufnr)
  local row, column = place()
  local text = part and part(left) or left
  local whole = text == left
  local last = whole and column + shown.behind or column
  local bufnr, command = shown.bufnr, shown.command
  erase()
  local end_row, end_column = text_api.replace(row, column, last, text)
  if whole then
    shown = nil
  else
    shown.row, shown.first, shown.text = end_row, end_column, left:sub(#text + 1)
    draw(shown.text)
    asked_at = vim.api.nvim_buf_get_changedtick(0)
  end
  if client and whole and command then
    client_api.execute(client, command, bufnr)
  end
  return true
end

function M.accept_word()
  return M.accept(words.first_word)
end

function M.accept_line()
  return M.accept(words.first_line)
end

-- Shows another of the suggestions, which are asked for when there are none yet.
function M.cycle(step)
  local function choose(client)
    if #alternatives > 0 then
      erase()
      chosen = (chosen - 1 + step) % #alternatives + 1
      show(alternatives[chosen], client)
    end
  end
  local client = client_of(vim.api.nvim_get_current_buf())
  if client and #alternatives > 1 and rest() then
    choose(client)
  else
    ask(1, choose)
  end
end

-- Hides the suggestion until something is typed.
function M.dismiss()
  stop_asking()
  M.clear()
end

function M.setup(group)
  vim.api.nvim_set_hl(0, 'HearthSuggestion', { default = true, link = 'Comment' })
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'InsertEnter', 'TextChangedI' }, function(event)
    if client_of(event.buf) then
      if event.event == 'InsertEnter' then
        asked_at = nil
      end
      vim.schedule(changed) -- InsertEnter comes before the mode does
    end
  end)
  on('CursorMovedI', moved)
  on({ 'CompleteChanged' }, M.clear)
  on({ 'InsertLeave', 'BufLeave' }, function()
    stop_asking()
    M.clear()
  end)
end

return M
