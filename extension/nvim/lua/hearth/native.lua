-- What Neovim's own inline completion (0.12 and later) lacks: it accepts nothing in part, and inserts a
-- suggestion where it was asked for, whatever was typed since.

local client_api = require('hearth.client')
local text_api = require('hearth.text')

local M = {}

-- What of the item is not typed yet, and how many bytes behind the cursor it replaces; nil where it doesn't fit
-- any more. The server's ranges begin at the cursor that it was asked for.
local function rest_of(item)
  local first_row, first, _, last = item.range:to_extmark()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local typed = vim.api.nvim_get_current_line():sub(first + 1, cursor[2])
  if first_row ~= cursor[1] - 1 or cursor[2] < first or item.insert_text:sub(1, #typed) ~= typed then
    return nil
  end
  return item.insert_text:sub(#typed + 1), last - first
end

-- Accepts the suggestion that is shown, or what part(rest) gives of it; false where there is none. The key is
-- pressed again when the suggestion turns out to fit no more.
function M.accept(bufnr, key, part)
  return vim.lsp.inline_completion.get({
    bufnr = bufnr,
    on_accept = function(item)
      local client = client_api.of(bufnr)
      if not (client and item.client_id == client.id and item.range) then
        return item -- another server's
      end
      local rest, behind = rest_of(item)
      if not rest then
        local keys = vim.api.nvim_replace_termcodes(key, true, false, true)
        return vim.api.nvim_feedkeys(keys, 'm', false)
      end
      local text = part and part(rest) or rest
      local whole = text == rest
      local cursor = vim.api.nvim_win_get_cursor(0)
      text_api.replace(cursor[1] - 1, cursor[2], cursor[2] + (whole and behind or 0), text)
      if whole and item.command then
        client_api.execute(client, item.command, bufnr)
      end
    end,
  })
end

return M
