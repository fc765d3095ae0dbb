-- Starts `hearth lsp`, one for each workspace folder, attaches buffers to it, tells it of new settings, and starts it
-- again where it ended of its own accord.

local client_api = require('hearth.client')

-- What the server last said of itself.
local M = { status = { state = 'stopped' } }

-- Those of setup{}, and what is called for each attached buffer.
local options, on_attach

-- Before Neovim 0.8, which reuses clients itself: client ids by root.
local clients = {}

-- When servers ended of their own accord within the last minute, and the ids of those that are to start again.
local deaths, restarting = {}, {}
local most_deaths = 3

local sigterm = 15

-- What of a client's capabilities is kept from menus that ask every server.
local completion_provider = {}

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

local function settings()
  return { hearth = next(options.settings) and options.settings or vim.empty_dict() }
end

local function configure(client)
  client_api.notify(client, 'workspace/didChangeConfiguration', { settings = settings() })
end

local function on_init(client)
  if not vim.lsp.start then -- before Neovim 0.8, which does it itself
    configure(client) -- so that a setting that is taken out later is missed
  end
  if not options.menu then
    completion_provider[client.id] = client.server_capabilities.completionProvider
    client.server_capabilities.completionProvider = nil
  end
end

local function start_again()
  table.insert(deaths, vim.loop.now())
  deaths = vim.tbl_filter(function(at)
    return vim.loop.now() - at < 60000
  end, deaths)
  if #deaths > most_deaths then
    vim.notify('Hearth: the server keeps ending; :Hearth restart starts it again', vim.log.levels.WARN)
  else
    vim.defer_fn(M.attach_all, 1000 * 2 ^ (#deaths - 1))
  end
end

local function on_exit(code, signal, id)
  M.status = { state = 'stopped' }
  completion_provider[id] = nil
  local was_stopped = signal == sigterm or signal == 0 and (code == 0 or code == 128 + sigterm)
  if restarting[id] then
    restarting[id] = nil
    M.attach_all()
  elseif not was_stopped and vim.v.exiting == vim.NIL then
    start_again()
  end
end

local function is_wanted(bufnr)
  local filetype = vim.api.nvim_buf_get_option(bufnr, 'filetype')
  return vim.api.nvim_buf_is_loaded(bufnr)
    and vim.api.nvim_buf_get_option(bufnr, 'buftype') == ''
    and vim.api.nvim_buf_get_name(bufnr) ~= ''
    and filetype ~= ''
    and (not options.filetypes or vim.tbl_contains(options.filetypes, filetype))
end

function M.attach(bufnr)
  if not is_wanted(bufnr) then
    return
  end
  local root = root_of(vim.api.nvim_buf_get_name(bufnr))
  local config = {
    name = 'hearth',
    cmd = options.cmd,
    root_dir = root,
    init_options = { hearth = vim.tbl_extend('keep', { triggerKinds = '3.18' }, options.settings) },
    settings = settings(),
    on_init = on_init,
    on_attach = on_attach,
    on_exit = vim.schedule_wrap(on_exit),
    handlers = {
      ['hearth/status'] = function(_, result)
        M.status = result
      end,
    },
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

function M.attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

-- Stops every server and starts those anew that have buffers.
function M.restart()
  deaths = {}
  local running = client_api.all()
  for _, client in ipairs(running) do
    restarting[client.id] = true
    client_api.terminate(client)
  end
  if #running == 0 then
    M.attach_all()
  end
end

-- Tells the running servers what the settings are now.
function M.configure()
  for _, client in ipairs(client_api.all()) do
    client.config.settings = settings() -- what Neovim answers where the server asks
    client.settings = client.config.settings -- the same from 0.10 on
    configure(client)
  end
end

-- Calls action() while Neovim knows that the client completes.
function M.with_completion(client, action)
  local capabilities = client.server_capabilities
  local kept = capabilities.completionProvider
  capabilities.completionProvider = kept or completion_provider[client.id]
  local result = action()
  capabilities.completionProvider = kept
  return result
end

-- A document is known by its file's name, which Neovim tells only once the file is saved, if at all.
local function follow_names(group)
  vim.api.nvim_create_autocmd('BufFilePre', {
    group = group,
    callback = function(event)
      local client = client_api.of(event.buf)
      if client then -- silent: Neovim 0.7 says so
        vim.cmd(('silent lua vim.lsp.buf_detach_client(%d, %d)'):format(event.buf, client.id))
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufFilePost', {
    group = group,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
end

function M.setup(group, given, attached)
  options, on_attach = given, attached
  follow_names(group)
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
  M.attach_all()
end

return M
