import assert from 'node:assert/strict';
import test from 'node:test';
import { nextUnspacedWord, restOf } from '../../../../extension/vscode/src/words';

test('the next word of a script without blanks is not the whole run', () => {
  for (const [text, word] of [
    ['東京都に住んでいます。', '東京'],
    [' 你好世界 = 1', ' 你好'],
    ['カタカナ語', 'カタカナ'],
  ] as const) {
    const found = nextUnspacedWord(text);
    assert.ok(found !== undefined && word.startsWith(found) && found.trim().length > 0, `${text}: ${found}`);
  }
});

test('words between blanks, and what is no word, are left to the editor', () => {
  for (const text of ['compute(東京)', ' = 1', '', '\n東京', '안녕 세계', 'кот', '"東京"']) {
    assert.equal(nextUnspacedWord(text), undefined, text);
  }
});

test('a suggestion goes on where what was typed is its start', () => {
  assert.equal(restOf('compute()', 'comp'), 'ute()');
  assert.equal(restOf('compute()', ''), 'compute()');
  assert.equal(restOf('compute()', 'compute()'), undefined);
  assert.equal(restOf('compute()', 'x'), undefined);
});
