// The extension as one file: `build.mjs [FOLDER]`, into FOLDER/extension.js (default: dist).

import { build } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
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
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
}

// The licences of the packages that a bundle holds, as one text.
export function licences({ metafile }) {
  const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  return [...packages].sort().map((folder) => {
    const path = resolve(root, folder);
    const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`${path} has no licence file`);
    return `${folder.replace(/^.*node_modules\//, '')}\n\n${readFileSync(resolve(path, file), 'utf8').trim()}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(resolve(process.argv[2] ?? 'dist'));
