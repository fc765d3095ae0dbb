// The models of this machine that have names, and what is said of the default one. Pure.

import { isAbsolute, join } from 'node:path';

export const DEFAULT_MODEL = 'hearth-code-135m';
export const EMBEDDED_MODEL = 'hearth-code-20m';
const ENDING = '.gguf';

// Where the server looks for models by name, and where it puts what it fetches.
export function modelFolder(environment: Record<string, string | undefined>): string | undefined {
  const { XDG_DATA_HOME: data = '', HOME: home = '' } = environment;
  if (isAbsolute(data)) return join(data, 'hearth', 'models');
  return isAbsolute(home) ? join(home, '.local', 'share', 'hearth', 'models') : undefined;
}

// Besides the embedded one.
export function modelNames(files: string[]): string[] {
  const names = files.filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length));
  return names.filter((name) => name !== '' && name !== EMBEDDED_MODEL).sort();
}

// Whether completions come from the default model where it is fetched and hearth.model.path says so.
export function isDefaultModel(path: string, folder: string | undefined): boolean {
  const file = DEFAULT_MODEL + ENDING;
  return ['', DEFAULT_MODEL, file, ...(folder === undefined ? [] : [join(folder, file)])].includes(path);
}
