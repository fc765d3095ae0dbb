import assert from 'node:assert/strict';
import test from 'node:test';
import { findServer } from '../../../../extension/vscode/src/server_binary';

const BUNDLED = '/ext/server/bin/hearth';

function find(programs: string[], setting = '') {
  return findServer({
    setting,
    extension: '/ext',
    path: '/usr/bin:bin::/opt/bin',
    home: '/home/me',
    isProgram: (path) => programs.includes(path),
  });
}

test('the setting goes before the bundled program, and that before the PATH', () => {
  const all = ['/own/hearth', BUNDLED, '/opt/bin/hearth'];
  assert.deepEqual(find(all, '/own/hearth'), { origin: 'setting', path: '/own/hearth' });
  assert.deepEqual(find(all), { origin: 'bundled', path: BUNDLED });
  assert.deepEqual(find(['/opt/bin/hearth']), { origin: 'path', path: '/opt/bin/hearth' });
});

test('a home in the setting is the user\'s', () => {
  assert.deepEqual(find(['/home/me/hearth'], '~/hearth'), { origin: 'setting', path: '/home/me/hearth' });
});

test('nothing is taken from the folder that happens to be the current one', () => {
  assert.ok('problem' in find(['bin/hearth', 'hearth']));
});

test('what is wrong names the setting and its value', () => {
  for (const setting of ['/nowhere/hearth', 'hearth']) {
    const missing = find([BUNDLED], setting);
    assert.ok('problem' in missing && missing.problem.includes('hearth.server.path') && missing.problem.includes(setting));
  }
  const none = find([]);
  assert.ok('problem' in none && none.problem.includes('hearth.server.path') && none.problem.includes('PATH'));
});
