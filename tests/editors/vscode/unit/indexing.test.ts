import assert from 'node:assert/strict';
import test from 'node:test';
import { Indexing } from '../../../../extension/vscode/src/indexing';

const A = 'hearth/indexing/1';
const B = 'hearth/indexing/2';

test('it is told from its begin to its end, of the last folder', () => {
  const indexing = new Indexing();
  assert.equal(indexing.howFar, undefined);
  indexing.progressed(A, { kind: 'begin' });
  assert.equal(indexing.howFar, '');
  indexing.progressed(B, { kind: 'begin' });
  indexing.progressed(A, { kind: 'report', message: '3 of 40 files' });
  assert.equal(indexing.howFar, '3 of 40 files');
  indexing.progressed(B, { kind: 'report', percentage: 20 });
  assert.equal(indexing.howFar, '20 %');
  indexing.progressed(A, { kind: 'end' });
  assert.equal(indexing.howFar, '20 %');
  indexing.progressed(B, { kind: 'end' });
  assert.equal(indexing.howFar, undefined);
});

test('nothing is left of what a server that died had begun', () => {
  const indexing = new Indexing();
  indexing.progressed(A, { kind: 'begin' });
  indexing.progressed(A, { kind: 'report', message: '3 of 40 files' });
  indexing.forget();
  assert.equal(indexing.howFar, undefined);
  indexing.progressed(B, { kind: 'begin' });
  assert.equal(indexing.howFar, '');
  indexing.progressed(B, { kind: 'end' });
  assert.equal(indexing.howFar, undefined);
});

test('other progress, and a report after the end, is none', () => {
  const indexing = new Indexing();
  assert.equal(indexing.progressed('hearth/loading', { kind: 'begin' }), false);
  assert.equal(indexing.progressed(7, { kind: 'begin' }), false);
  indexing.progressed(A, { kind: 'report', message: '40 of 40 files' });
  assert.equal(indexing.howFar, undefined);
});
