import assert from 'node:assert/strict';
import test from 'node:test';
import { Wish } from '../../../../extension/vscode/src/wish';

const HERE = { uri: 'file:///a.py', version: 3, line: 7, character: 4 };

test('what a key asked for is given once, to the request about its own place', async () => {
  const wish = new Wish();
  await wish.during('block', HERE, async () => {
    for (const other of [{ uri: 'file:///b.py' }, { version: 4 }, { line: 8 }, { character: 0 }]) {
      assert.equal(wish.take({ ...HERE, ...other }), undefined, JSON.stringify(other));
    }
    assert.equal(wish.take({ ...HERE }), 'block');
    assert.equal(wish.take({ ...HERE }), undefined);
  });
});

test('nothing is left of it when the editor asked nobody', async () => {
  const wish = new Wish();
  await wish.during('block', HERE, async () => {});
  assert.equal(wish.take(HERE), undefined);
  await assert.rejects(wish.during('line', HERE, () => Promise.reject(new Error('no such command'))));
  assert.equal(wish.take(HERE), undefined);
});

test('a later wish stays when an earlier one ends', async () => {
  const wish = new Wish();
  let end = () => {};
  const earlier = wish.during('block', HERE, () => new Promise<void>((resolve) => (end = resolve)));
  const later = wish.during('line', HERE, async () => {
    end();
    await earlier;
    assert.equal(wish.take(HERE), 'line');
  });
  await later;
});
