// Runs cases, each a session with a file of its own in one open window. Environment: CASE_URL, CASE_CHROMIUM,
// CASE_WORKSPACE (the opened folder), CASE_EXTENSIONS (where extensions are installed), CASE_STORES (the server's),
// CASE_PICTURES (where screenshots go), CASE_TAPPED_SERVER (a server that writes what is said to CASE_WIRE),
// CASE_TIMEOUT_MS (for one thing to happen).

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Window } from './browser.mjs';

export const setting = (name) => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
export const picture = (name) => join(setting('CASE_PICTURES'), `${name}.png`);
export const saved = (name) => readFile(join(setting('CASE_WORKSPACE'), name), 'utf8');

// The parameters of what the tapped server was sent of a method.
export async function sent(method) {
  const wire = await readFile(setting('CASE_WIRE'), 'utf8').catch(() => '');
  const messages = wire.split('\n').slice(0, -1).map((line) => JSON.parse(line));
  return messages.flatMap(({ from, message }) => (from === 'client' && message.method === method ? [message.params] : []));
}

// The one server that runs from this trial's extensions folder, if it does.
export async function serverProcess() {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.startsWith(setting('CASE_EXTENSIONS')) && command.includes('/bin/hearth\0lsp')) return Number(pid);
  }
  return undefined;
}

export async function runCases(cases) {
  const window = await Window.open(setting('CASE_CHROMIUM'), setting('CASE_URL'));
  const failed = [];
  try {
    await window.page.locator('.monaco-workbench').waitFor();
    await window.until('the status item', async () => (await window.status()) !== '');
    for (const [name, run] of Object.entries(cases)) {
      const start = Date.now();
      try {
        await run(window);
        console.log(`ok     ${name} (${Date.now() - start} ms)`);
      } catch (error) {
        console.log(`FAILED ${name}: ${error.stack}`);
        console.log(`       status: ${await window.status()}; ghost text: ${JSON.stringify(await window.ghost())}`);
        await window.screenshot(picture(`failed_${name}`));
        failed.push(name);
        await window.press('Escape', 'Escape');
      }
    }
  } finally {
    await window.close();
  }
  if (failed.length > 0) process.exitCode = 1;
}
