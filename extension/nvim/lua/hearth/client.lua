-- Hearth's clients, whatever Neovim's version.

local M = {}

local has_methods = vim.fn.has('nvim-0.11') == 1

-- Every running Hearth.
function M.all()
  local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return vim.tbl_filter(function(client)
    return client.name == 'hearth'
  end, vim.tbl_values(clients))
end

function M.of(bufnr)
  for _, client in ipairs(M.all()) do
    if vim.lsp.buf_is_attached(bufnr, client.id) then
      return client
    end
  end
end

-- By a signal, which reaches a server that hangs, too.
function M.terminate(client)
  if has_methods then
    client:stop(true)
  else
    client.stop(true)
  end
end

function M.notify(client, method, params)
  if has_methods then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

-- Calls handler(result), with nil after an error; returns what cancel() takes.
function M.request(client, method, params, bufnr, handler)
  local function done(_, result)
    handler(result)
  end
  local sent, id
  if has_methods then
    sent, id = client:request(method, params, done, bufnr)
  else
    sent, id = client.request(method, params, done, bufnr)
  end
  return sent and id or nil
end

function M.execute(client, command, bufnr)
  local params = { command = command.command, arguments = command.arguments }
  M.request(client, 'workspace/executeCommand', params, bufnr, function() end)
end

function M.cancel(client, id)
  if has_methods then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

-- The byte of a line that a position of the client means.
function M.byte_index(client, line, character)
  if client.offset_encoding == 'utf-8' then
    return math.min(character, #line)
  end
  local ok, byte = pcall(vim.str_byteindex, line, character, client.offset_encoding == 'utf-16')
  return ok and byte or #line
end

return M
