// The extension as one file: `build.mjs [FOLDER]`, into FOLDER/extension.js (default: dist).

import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));

export function bundle(folder) {
  return build({
    absWorkingDir: root,
    entryPoints: ['src/extension.ts'],
    outfile: resolve(folder, 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    minify: true,
    legalComments: 'linked',
    logLevel: 'warning',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(resolve(process.argv[2] ?? 'dist'));
