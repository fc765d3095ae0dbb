// contributes.configuration of package.json, made from the server's own schema (extension/settings.schema.json)
// and what only this client has. Without arguments: fails when package.json holds another; --write: writes it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifestPath = fileURLToPath(new URL('../package.json', import.meta.url));
const schemaPath = fileURLToPath(new URL('../../settings.schema.json', import.meta.url));

// Ghost text shows the same as the menu, which is left to the language's own server; and models of code write prose
// and commit messages badly.
const DEFAULTS = {
  'hearth.completion.menu': false,
  'hearth.completion.disabledLanguages': ['git-commit', 'git-rebase', 'markdown', 'plaintext'],
};
// Another machine has other files and cores.
const OF_THE_MACHINE = /^hearth\.(model|engine)\./;
// These follow the document at hand (`serverSettings` in settings.ts); the others are one server's for all documents.
const OF_THE_DOCUMENT = /^hearth\.(enable$|completion\.)/;

function scopeOf(name) {
  if (OF_THE_MACHINE.test(name)) return 'machine-overridable';
  return OF_THE_DOCUMENT.test(name) ? 'language-overridable' : 'window';
}

const OWN = {
  'hearth.server.path': {
    type: 'string',
    default: '',
    scope: 'machine-overridable',
    description: 'The `hearth` program. Empty: the one that came with this extension, else the one on the PATH.',
  },
};

export function configuration(schema) {
  const properties = { ...OWN };
  for (const [name, setting] of Object.entries(schema.properties)) {
    properties[name] = {
      ...setting,
      ...(name in DEFAULTS && { default: DEFAULTS[name] }),
      scope: scopeOf(name),
    };
  }
  return { title: schema.title, properties };
}

const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
const made = configuration(JSON.parse(readFileSync(schemaPath, 'utf8')));
if (process.argv.includes('--write')) {
  manifest.contributes.configuration = made;
  writeFileSync(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
} else if (JSON.stringify(manifest.contributes.configuration) !== JSON.stringify(made)) {
  console.error('extension/vscode/package.json: contributes.configuration is not what settings.schema.json gives: npm run configuration');
  process.exitCode = 1;
}
