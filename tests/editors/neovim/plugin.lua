-- Runs inside Neovim: what of the plugin needs no server. Ends with 1 and the reason on a fault.

local function expect(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(what .. '\n  expected ' .. vim.inspect(expected) .. '\n  actual   ' .. vim.inspect(actual), 2)
  end
end

local function parts(text, part)
  local all = {}
  while text ~= '' do
    local one = part(text)
    table.insert(all, one)
    text = text:sub(#one + 1)
  end
  return all
end

local function words()
  local words = require('hearth.words')
  for text, expected in pairs({
    ['snake_case2 = f(x)'] = { 'snake_case2', ' =', ' f', '(', 'x', ')' },
    ['a == b'] = { 'a', ' ==', ' b' },
    ['größe+naïve'] = { 'größe', '+', 'naïve' },
    ['変数名 = x'] = { '変', '数', '名', ' =', ' x' },
    ['привет мир'] = { 'привет', ' мир' },
    [' \n  return x'] = { ' \n  return', ' x' },
    ['😀😀 x'] = { '😀😀', ' x' },
    ['x  '] = { 'x', '  ' },
  }) do
    expect(parts(text, words.first_word), expected, text)
  end
  expect(parts('a = 1\n  b\n', words.first_line), { 'a = 1', '\n  b', '\n' }, 'lines')
end

local function health()
  require('hearth').setup({ cmd = { vim.env.HEARTH_BINARY, 'lsp' } })
  vim.cmd('checkhealth hearth')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  expect(report:find('ERROR', 1, true), nil, report)
  assert(report:find(vim.env.HEARTH_BINARY, 1, true), report)
  require('hearth').setup({ cmd = { 'no-such-hearth', 'lsp' } })
  vim.cmd('checkhealth hearth')
  report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(report:find('ERROR:? no%-such%-hearth cannot be run'), report)
end

local function help_and_command()
  vim.cmd('helptags ' .. vim.fn.fnameescape(vim.env.HEARTH_PLUGIN .. '/doc'))
  vim.cmd('help hearth-keys')
  expect(vim.fn.expand('%:t'), 'hearth.txt', 'the help file')
  vim.cmd('Hearth disable')
  expect(require('hearth').status(), 'Hearth: off', 'after :Hearth disable')
  vim.cmd('Hearth toggle')
  expect(require('hearth').status(), 'Hearth: stopped', 'after :Hearth toggle')
end

local function problems()
  require('hearth.server').status = { state = 'ready', model = 'm', problems = { 'unknown setting "x"' } }
  assert(vim.fn.execute('Hearth status'):find('ready %(m%)\nunknown setting "x"'), vim.fn.execute('Hearth status'))
  vim.cmd('checkhealth hearth')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(report:find('unknown setting "x"', 1, true), report)
end

local function deaths()
  local starts, given_up = vim.fn.tempname(), nil
  local defer, notify = vim.defer_fn, vim.notify
  vim.defer_fn = vim.schedule
  vim.notify = function(message)
    given_up = given_up or message:find(':Hearth restart', 1, true)
  end
  require('hearth').setup({ cmd = { 'sh', '-c', 'echo >>' .. starts .. '; exit 1' } })
  vim.cmd('edit ' .. vim.fn.tempname() .. ' | set filetype=python')
  assert(vim.wait(10000, function()
    return given_up
  end, 10), 'it is started again and again')
  expect(#vim.fn.readfile(starts), 4, 'starts of a server that dies')
  vim.defer_fn, vim.notify = defer, notify
end

for _, check in ipairs({ words, health, help_and_command, problems, deaths }) do
  local ran, problem = xpcall(check, debug.traceback)
  if not ran then
    io.stderr:write(problem .. '\n')
    vim.cmd('cquit 1')
  end
end
vim.cmd('qa!')
