import assert from 'node:assert/strict';
import test from 'node:test';
import { fetchProgress } from '../../../../extension/vscode/src/fetch_progress';

test('a line of progress is a message and a share of its step', () => {
  assert.deepEqual(fetchProgress('{"step":"download","done":47500000,"total":95000000}'), {
    message: 'downloading, 47 of 95 MB',
    percent: 50,
  });
  assert.deepEqual(fetchProgress('{"step":"download","done":2500000,"total":0}'), {
    message: 'downloading, 2 MB',
    percent: undefined,
  });
  assert.equal(fetchProgress('{"step":"merge","done":3,"total":2}')?.percent, 100);
});

test('other lines are none', () => {
  for (const line of ['', 'null', '7', '{"model":"/a.gguf","wasThere":true}', '{"step":1,"done":2}', '{"step":']) {
    assert.equal(fetchProgress(line), undefined, line);
  }
});
