-- Changes of the current buffer at the cursor's line.

local M = {}

-- Puts text in the place of the bytes from first to last of a line, and the cursor behind it; returns where that is.
function M.replace(row, first, last, text)
  local lines = vim.split(text, '\n', { plain = true })
  local end_row, end_column = row + #lines - 1, #lines[#lines] + (#lines == 1 and first or 0)
  vim.api.nvim_buf_set_text(0, row, first, row, last, lines)
  vim.api.nvim_win_set_cursor(0, { end_row + 1, end_column })
  return end_row, end_column
end

return M
