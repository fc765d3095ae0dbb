import assert from 'node:assert/strict';
import test from 'node:test';
import { appearanceOf } from '../../../../extension/vscode/src/appearance';
import type { Facts, Kind } from '../../../../extension/vscode/src/appearance';

const running = { phase: 'running' } as const;
const here = { suggests: true, code: 'suggests', message: 'Suggestions come here.' };
const off = { suggests: false, code: 'languageOff', message: 'Nothing is suggested in markdown.' };
const unread = { suggests: false, code: 'notRead', message: 'Documents of git: are not read.' };
const problems = ['hearth.colour is no setting', 'hearth.enable has to be true or false.'];
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
  [{ client: running, server: { state: 'ready', model: 'tiny' }, ban: unread }, 'off', unread.message],
  [{ client: running, server: { state: 'ready', here }, ban: unread }, 'off', unread.message],
  [{ client: running, server: { state: 'failed', message: 'no such file' }, ban: unread }, 'error', 'no such file'],
  [{ client: { phase: 'stopped' }, ban: unread }, 'error', 'Restart'],
  [{ client: running, server: { state: 'failed', message: 'no such file', here } }, 'error', 'no such file'],
  [{ client: running, server: { state: 'ready', here }, warning: 'another version' }, 'warning', 'another version'],
  [{ client: running, server: { state: 'ready', here, problems } }, 'warning', `${problems[0]}. The menu tells 1 more. Suggestions`],
  [{ client: running, server: { state: 'ready', here: off, problems } }, 'warning', off.message],
  [{ client: running, server: { state: 'loading', here: loading, problems } }, 'warning', 'loading'],
  [{ client: running, server: { state: 'failed', message: 'no such file', problems } }, 'error', 'no such file'],
  [{ client: { phase: 'starting' }, warning: 'another version' }, 'starting', 'starting'],
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

test('the menu says all that is the matter, what matters most before the rest', () => {
  const ready = { state: 'ready', model: 'tiny', here, problems };
  assert.equal(
    appearanceOf({ client: running, server: ready, warning: 'another version', indexing: '3 of 40 files' }).summary,
    'Hearth: another version. hearth.colour is no setting. hearth.enable has to be true or false. ' +
      'Suggestions come from tiny. The workspace is being indexed: 3 of 40 files.',
  );
  assert.equal(
    appearanceOf({ client: running, server: { state: 'failed', message: 'No such file.', problems: problems.slice(0, 1) } }).summary,
    'Hearth: No such file. hearth.colour is no setting.',
  );
  assert.doesNotMatch(appearanceOf({ client: { phase: 'stopped' }, server: ready }).summary, /colour/);
});

test('a warning leaves the state to be read beside its sign', () => {
  const text = (here_: typeof here) => appearanceOf({ client: running, server: { state: 'ready', here: here_, problems } }).text;
  assert.equal(text(here), '$(warning) Hearth');
  assert.equal(text(off), '$(warning) Hearth off');
});
