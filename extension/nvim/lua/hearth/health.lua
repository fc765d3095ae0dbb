-- :checkhealth hearth

local M = {}

-- The names changed with Neovim 0.10, the module's place before that.
local health = vim.health or require('health')
local function say(new, old)
  return health[new] or health[old]
end
local start, ok = say('start', 'report_start'), say('ok', 'report_ok')
local warn, fail = say('warn', 'report_warn'), say('error', 'report_error')

local function check_program(command)
  local program = command[1]
  if vim.fn.executable(program) == 0 then
    fail(program .. ' cannot be run', { 'Put hearth on your PATH, or give setup{} its place: cmd = { "/path/to/hearth", "lsp" }' })
    return
  end
  ok(vim.fn.exepath(program))
  if command[2] == 'lsp' then
    local version = vim.fn.system({ program, '--version' })
    if vim.v.shell_error == 0 then
      ok(vim.trim(version))
    else
      fail(program .. ' --version says: ' .. vim.trim(version), { 'hearth doctor says more' })
    end
  end
end

local function check_buffer()
  local client = require('hearth.client').of(vim.api.nvim_get_current_buf())
  if client then
    ok('attached to this buffer; ' .. require('hearth').status())
  else
    warn('not attached to this buffer', { 'It attaches to files with a filetype; setup{ filetypes = ... } may leave this one out' })
  end
end

local function check_settings()
  for _, problem in ipairs(require('hearth.server').status.problems or {}) do
    warn(problem)
  end
end

function M.check()
  start('Hearth')
  check_program(require('hearth').command())
  check_buffer()
  check_settings()
  if vim.fn.has('nvim-0.10') == 0 then
    ok('this Neovim draws suggestions over the text to their right; 0.10 and later move it aside')
  end
end

return M
