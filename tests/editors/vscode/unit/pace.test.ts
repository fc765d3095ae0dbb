import assert from 'node:assert/strict';
import test from 'node:test';
import { Pace } from '../../../../extension/vscode/src/pace';

test('nothing is waited for while answers come at once', () => {
  const pace = new Pace();
  assert.equal(pace.waitMs, 0);
  for (let i = 0; i < 9; ++i) pace.answered(12);
  assert.equal(pace.waitMs, 0);
});

test('slow answers are waited for, but not for ever', () => {
  const pace = new Pace();
  for (let i = 0; i < 9; ++i) pace.answered(80);
  assert.ok(Math.abs(pace.waitMs - 80) < 1);
  for (let i = 0; i < 30; ++i) pace.answered(2_000);
  assert.equal(pace.waitMs, 150);
});

test('it recovers when answers are fast again', () => {
  const pace = new Pace();
  pace.answered(400);
  for (let i = 0; i < 30; ++i) pace.answered(10);
  assert.equal(pace.waitMs, 0);
});
