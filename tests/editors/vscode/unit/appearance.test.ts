import assert from 'node:assert/strict';
import test from 'node:test';
import { appearanceOf } from '../../../../extension/vscode/src/appearance';
import type { Facts, Kind } from '../../../../extension/vscode/src/appearance';

const running = { phase: 'running' } as const;
const here = { suggests: true, code: 'suggests', message: 'Suggestions come here.' };
const off = { suggests: false, code: 'languageOff', message: 'Nothing is suggested in markdown.' };
const loading = { suggests: false, code: 'loading', message: 'The model is still loading.' };

const CASES: [Facts, Kind, string][] = [
  [{ client: { phase: 'starting' } }, 'starting', 'starting'],
  [{ client: running }, 'starting', 'starting'],
  [{ client: running, server: { state: 'loading', here: loading } }, 'warming', 'loading'],
  [{ client: running, server: { state: 'ready', model: 'tiny', here } }, 'ready', 'tiny'],
  [{ client: running, server: { state: 'ready', model: 'tiny' } }, 'ready', 'tiny'],
  [{ client: running, server: { state: 'ready', here }, indexing: '3 of 40 files' }, 'indexing', '3 of 40 files'],
  [{ client: running, server: { state: 'ready', here: off }, indexing: '3 of 40 files' }, 'off', off.message],
  [{ client: running, server: { state: 'ready', here: off } }, 'off', off.message],
  [{ client: running, server: { state: 'loading', here: off } }, 'off', off.message],
  [{ client: running, server: { state: 'failed', message: 'no such file', here } }, 'error', 'no such file'],
  [{ client: running, server: { state: 'ready', here }, warning: 'another version' }, 'error', 'another version'],
  [{ client: { phase: 'failed', problem: 'no program' }, server: { state: 'ready', here } }, 'error', 'no program'],
  [{ client: { phase: 'stopped' } }, 'error', 'Restart'],
];

test('the status item says what is the matter', () => {
  for (const [facts, kind, said] of CASES) {
    const found = appearanceOf(facts);
    assert.equal(found.kind, kind, JSON.stringify(facts));
    assert.ok(found.tooltip.startsWith('Hearth: ') && found.tooltip.includes(said), found.tooltip);
  }
});
