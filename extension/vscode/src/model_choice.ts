// Choosing the model: the server's two, what else is in the models' folder, and any file.

import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { command, pickAndRun } from './entries';
import type { Entry } from './entries';
import { DEFAULT_MODEL, EMBEDDED_MODEL, modelFolder, modelNames } from './models';
import { effective, scopeOf, writesFor } from './setting_writes';
import { Settings } from './settings';

const MODEL = 'model.path';

export function chosenModel(): string {
  return effective(new Settings().inspect<string>(MODEL)) ?? '';
}

export async function useModel(path: string): Promise<void> {
  const settings = new Settings();
  const inspected = settings.inspect<string>(MODEL);
  await settings.write(MODEL, writesFor(inspected, scopeOf(inspected), path));
}

async function namesInFolder(): Promise<string[]> {
  const folder = modelFolder(process.env);
  return folder === undefined ? [] : modelNames(await readdir(folder).catch(() => []));
}

async function chooseModel(): Promise<void> {
  const use = (path: string) => () => useModel(path);
  const names = await namesInFolder();
  const entries: Entry[] = [
    { label: 'The default model when it is fetched, else the embedded one', run: use('') },
    { label: EMBEDDED_MODEL, description: 'embedded: small and fast', run: use(EMBEDDED_MODEL) },
    ...names.map((name) => ({
      label: name,
      description: name === DEFAULT_MODEL ? 'the default one, fetched' : 'in the folder of models',
      run: use(name),
    })),
  ];
  if (!names.includes(DEFAULT_MODEL)) {
    entries.push(command(`$(cloud-download) Fetch the default model, ${DEFAULT_MODEL}`, 'hearth.fetchModel'));
  }
  entries.push({
    label: '$(folder-opened) A GGUF file…',
    async run() {
      const [file] = (await vscode.window.showOpenDialog({ filters: { 'GGUF models': ['gguf'] } })) ?? [];
      if (file) await useModel(file.fsPath);
    },
  });
  await pickAndRun(entries, `The model, now: ${chosenModel() || 'the default'}`);
}

export function activate(): vscode.Disposable[] {
  return [vscode.commands.registerCommand('hearth.chooseModel', chooseModel)];
}
