import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { versionProblem } from '../../../../extension/vscode/src/versions';

const root = process.env['HEARTH_SOURCE_DIR'] ?? '';

test('patches fit, other minor versions and nameless servers do not', () => {
  assert.equal(versionProblem('0.1.0', '0.1.7'), undefined);
  for (const server of ['0.2.0', '1.1.0', undefined]) {
    const problem = versionProblem('0.1.0', server);
    assert.ok(problem !== undefined && problem.includes(server ?? 'does not say'));
  }
});

test('the extension and the server of this checkout have one version', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'extension/vscode/package.json'), 'utf8'));
  const project = /project\(hearth VERSION (\S+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'));
  assert.equal(manifest.version, project?.[1]);
});
