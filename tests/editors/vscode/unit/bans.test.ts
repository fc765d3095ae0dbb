import assert from 'node:assert/strict';
import test from 'node:test';
import { documentBan, selectionBan, typingBan } from '../../../../extension/vscode/src/bans';

const CURSOR = { isEmpty: true };
const SELECTION = { isEmpty: false };

test('each ban has a sentence of its own', () => {
  const unread = documentBan('git', { synced: false, writable: false });
  assert.match(unread?.message ?? '', /does not read .*git:/);
  const bans = [
    unread,
    documentBan('file', { synced: true, writable: false }),
    selectionBan([CURSOR, CURSOR]),
    selectionBan([SELECTION]),
    typingBan(false),
  ];
  assert.equal(new Set(bans.map((ban) => ban?.message)).size, bans.length);
  assert.equal(new Set(bans.map((ban) => ban?.code)).size, bans.length);
});

test('a setting is named where it is the cause', () => {
  assert.equal(typingBan(false)?.setting, 'editor.inlineSuggest.enabled');
  assert.equal(selectionBan([SELECTION])?.setting, undefined);
});

test('one cursor in a document that is sent and can be written is none', () => {
  assert.equal(documentBan('file', { synced: true, writable: true }), undefined);
  assert.equal(selectionBan([CURSOR]), undefined);
  assert.equal(typingBan(true), undefined);
});
