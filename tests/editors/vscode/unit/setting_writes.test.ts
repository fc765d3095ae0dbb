import assert from 'node:assert/strict';
import test from 'node:test';
import * as writes from '../../../../extension/vscode/src/setting_writes';
import type { Inspected, Scope, Write } from '../../../../extension/vscode/src/setting_writes';

const { effective, ofAllLanguages, ofLanguage, scopeOf, writeAtOrigin, writesFor, writesForLanguage } = writes;

type Places = Record<Scope, keyof Inspected<unknown>>;
const PLAIN: Places = { global: 'globalValue', workspace: 'workspaceValue', folder: 'workspaceFolderValue' };
const LANGUAGE: Places = {
  global: 'globalLanguageValue',
  workspace: 'workspaceLanguageValue',
  folder: 'workspaceFolderLanguageValue',
};

// As VS Code does it.
function written<T>(inspected: Inspected<T>, made: Write<T>[]): Inspected<T> {
  const after = { ...inspected };
  for (const { scope, isOfLanguage, value } of made) after[(isOfLanguage ? LANGUAGE : PLAIN)[scope]] = value;
  return after;
}

const VALUES = [undefined, true, false];
const WRITABLE = [...Object.values(PLAIN), ...Object.values(LANGUAGE)];

function everyState(): Inspected<boolean>[] {
  let states: Inspected<boolean>[] = [{ defaultValue: true }, { defaultValue: true, defaultLanguageValue: false }];
  for (const key of WRITABLE) {
    states = states.flatMap((state) => VALUES.map((value) => (value === undefined ? state : { ...state, [key]: value })));
  }
  return states;
}

test('a language goes before all without one, and the narrower scope before the wider', () => {
  assert.equal(effective({ defaultValue: 1, globalLanguageValue: 2, workspaceFolderValue: 3 }), 2);
  assert.equal(ofAllLanguages({ defaultValue: 1, globalLanguageValue: 2, workspaceFolderValue: 3, workspaceValue: 4 }), 3);
  assert.equal(ofLanguage({ defaultValue: 1, globalLanguageValue: 2, workspaceLanguageValue: 5 }), 5);
  assert.equal(ofLanguage({ defaultValue: 1 }), undefined);
  assert.equal(scopeOf({ defaultValue: 1 }), 'global');
  assert.equal(scopeOf({ defaultValue: 1, workspaceValue: 2, globalValue: 3 }), 'workspace');
});

test('a switch takes effect whatever was written before, here and where the language has nothing of its own', () => {
  for (const state of everyState()) {
    for (const scope of ['workspace', 'global'] as const) {
      for (const value of [true, false]) {
        const after = written(state, writesFor(state, scope, value));
        assert.equal(effective(after), value, JSON.stringify({ state, scope, value, after }));
        assert.equal(ofAllLanguages(after), value, JSON.stringify({ state, scope, value, after }));
      }
    }
  }
});

test('a switch of a workspace leaves the user\'s own values alone', () => {
  for (const state of everyState()) {
    const made = writesFor(state, 'workspace', false);
    assert.ok(made.every(({ scope }) => scope !== 'global'), JSON.stringify({ state, made }));
  }
});

test('nothing is written that holds already', () => {
  assert.deepEqual(writesFor({ defaultValue: true }, 'global', true), []);
  assert.deepEqual(writesFor({ defaultValue: true, workspaceValue: false }, 'workspace', true), [
    { scope: 'workspace', isOfLanguage: false, value: undefined },
  ]);
  assert.deepEqual(writesFor({ defaultValue: '', globalValue: 'large', workspaceValue: 'small' }, 'workspace', ''), [
    { scope: 'workspace', isOfLanguage: false, value: '' },
  ]);
});

test('a list is written where the one that counts stands', () => {
  for (const [state, scope, isOfLanguage] of [
    [{ defaultValue: ['a'] }, 'global', false],
    [{ defaultValue: ['a'], globalValue: ['b'], workspaceValue: ['c'] }, 'workspace', false],
    [{ defaultValue: ['a'], workspaceValue: ['c'], globalLanguageValue: ['d'] }, 'global', true],
    [{ defaultValue: ['a'], defaultLanguageValue: ['e'] }, 'global', true],
  ] as const) {
    const inspected = { ...state } as Inspected<readonly string[]>;
    const write = writeAtOrigin(inspected, ['x']);
    assert.deepEqual(write, { scope, isOfLanguage, value: ['x'] });
    assert.deepEqual(effective(written(inspected, [write])), ['x']);
  }
});

test('a language that was switched off by itself follows the others again', () => {
  for (const state of everyState()) {
    const after = written(state, writesForLanguage(state, true));
    assert.notEqual(ofLanguage(after), false, JSON.stringify({ state, after }));
    assert.equal(ofAllLanguages(after), ofAllLanguages(state));
  }
});
