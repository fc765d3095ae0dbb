import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isDefaultModel, modelFolder, modelNames } from '../../../../extension/vscode/src/models';

const root = process.env['HEARTH_SOURCE_DIR'] ?? '';
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('the folder of models is where the server has it', () => {
  assert.equal(modelFolder({ XDG_DATA_HOME: '/data', HOME: '/home/me' }), '/data/hearth/models');
  for (const data of [undefined, '', 'data']) {
    assert.equal(modelFolder({ XDG_DATA_HOME: data, HOME: '/home/me' }), '/home/me/.local/share/hearth/models', data);
  }
  assert.equal(modelFolder({}), undefined);
});

test('a model that was fetched has its name', () => {
  const files = ['mine.gguf', 'hearth-code-135m.gguf', 'hearth-code-135m.gguf.part', '.gguf', 'hearth-code-20m.gguf', 'notes.md'];
  assert.deepEqual(modelNames(files), ['hearth-code-135m', 'mine']);
});

test('the default model is used unless another is named', () => {
  const folder = '/data/hearth/models';
  for (const path of ['', 'hearth-code-135m', 'hearth-code-135m.gguf', `${folder}/hearth-code-135m.gguf`]) {
    assert.ok(isDefaultModel(path, folder), path);
  }
  for (const path of ['hearth-code-20m', 'mine', '/elsewhere/hearth-code-135m.gguf']) {
    assert.ok(!isDefaultModel(path, folder), path);
  }
});

test('the names of the models are those of the server', () => {
  const names = /kDefaultModelFile = "(.+)\.gguf";[^]*kEmbeddedModelFile = "(.+)\.gguf";/;
  const [, fetched, embedded] = names.exec(read('engine/model_catalog.h')) ?? [];
  assert.ok(fetched !== undefined && isDefaultModel(fetched, undefined), fetched);
  assert.deepEqual(modelNames([`${embedded}.gguf`]), []);
});

test('the walkthrough names every family of models that serves', () => {
  const families = [...read('engine/model_shape.cpp').matchAll(/Architecture\{"(\w+)"/g)].map(([, family]) => family ?? '');
  assert.ok(families.length >= 5, families.join());
  const { contributes } = JSON.parse(read('extension/vscode/package.json'));
  const larger = contributes.walkthroughs[0].steps.find(({ id }: { id: string }) => id === 'larger').description;
  for (const said of [read('extension/vscode/media/larger.md'), larger]) {
    for (const family of families) assert.ok(said.includes(family), `${family} in ${said}`);
  }
});
