// One .vsix for linux-x64 with everything in it: the bundle, `hearth`, the embedded model and the default model's
// adapter. `package.mjs [--hearth BUILD] [--out FILE]`: BUILD is a build or install folder with bin/hearth and
// share/hearth/models (default: build/release of this checkout).

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, licences } from './build.mjs';

const TARGET = 'linux-x64';
const extension = fileURLToPath(new URL('..', import.meta.url));
const checkout = resolve(extension, '../..');
const manifest = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
const { values } = parseArgs({
  options: {
    hearth: { type: 'string', default: join(checkout, 'build/release') },
    out: { type: 'string', default: join(checkout, `build/hearth-${TARGET}-${manifest.version}.vsix`) },
  },
});
const built = resolve(values.hearth);
const out = resolve(values.out);
const stage = `${out}.stage`;

for (const needed of ['bin/hearth', 'share/hearth/models']) {
  if (!existsSync(join(built, needed))) throw new Error(`${join(built, needed)} is missing: cmake --build --preset release`);
}
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
for (const name of ['package.json', 'README.md', 'media']) cpSync(join(extension, name), join(stage, name), { recursive: true });
cpSync(join(checkout, 'LICENSE'), join(stage, 'LICENSE'));
const bundled = await bundle(join(stage, 'dist'));
writeFileSync(join(stage, 'dist/LICENCES.txt'), licences(bundled));
mkdirSync(join(stage, 'server/bin'), { recursive: true });
execFileSync('strip', ['-o', join(stage, 'server/bin/hearth'), join(built, 'bin/hearth')]);
chmodSync(join(stage, 'server/bin/hearth'), 0o755);
cpSync(join(built, 'share/hearth/models'), join(stage, 'server/share/hearth/models'), { recursive: true });
mkdirSync(dirname(out), { recursive: true });
const vsce = join(extension, 'node_modules/@vscode/vsce/vsce');
const options = ['--no-dependencies', '--target', TARGET, '--allow-missing-repository', '--out', out];
execFileSync(process.execPath, [vsce, 'package', ...options], { cwd: stage, stdio: ['ignore', 'inherit', 'inherit'] });
rmSync(stage, { recursive: true });
console.log(out);
