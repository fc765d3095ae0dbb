// The cases: each a session with a file of its own in the one open window. Environment: CASE_URL, CASE_CHROMIUM,
// CASE_WORKSPACE (the opened folder), CASE_PICTURES (where screenshots go), CASE_TIMEOUT_MS (for one thing to happen).

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Window } from './browser.mjs';

const setting = (name) => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
const picture = (name) => join(setting('CASE_PICTURES'), `${name}.png`);
const saved = (name) => readFile(join(setting('CASE_WORKSPACE'), name), 'utf8');

async function pickFromMenu(window, label) {
  await window.page.locator('[id*="hearth.status"] a').first().click();
  await window.pick(label);
}

const CASES = {
  async greets_a_new_user_with_the_walkthrough(window) {
    await window.page.getByText('Get Started with Hearth').first().waitFor();
    await window.page.getByText('Two models').first().waitFor();
    await window.screenshot(picture('walkthrough'));
    await window.command('View: Close All Editors');
  },

  async says_when_it_is_ready(window) {
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Suggestions come from hearth-code-20m/);
  },

  async accepts_ghost_text_with_tab(window) {
    await window.openFile('shapes.py', 10);
    const before = await saved('shapes.py');
    await window.type(' ');
    const ghost = await window.untilGhost();
    await window.screenshot(picture('ghost_text'));
    await window.press('Tab');
    await window.until('other ghost text or none', async () => (await window.ghost()) !== ghost);
    await window.save();
    assert.equal(await saved('shapes.py'), before.replace('    return\n', `    return ${ghost}\n`));
  },

  async falls_through_with_tab_where_there_is_no_ghost_text(window) {
    await window.openFile('notes.txt', 1);
    await window.press('Escape', 'Tab');
    await window.save();
    assert.match(await saved('notes.txt'), /^remember( {1,4}|\t)\n$/);
  },

  async keeps_ghost_text_while_it_is_typed(window) {
    await window.openFile('typed.py', 6);
    await window.type('s');
    const ghost = await window.untilGhost();
    await window.type(ghost[0]);
    await window.until('the rest', async () => (await window.ghost()) === ghost.slice(1) || (await window.ghost()).startsWith(ghost.slice(1)));
    await window.press('Escape');
    await window.untilNoGhost();
  },

  async accepts_a_word(window) {
    await window.openFile('word.py', 4);
    await window.type('y');
    const ghost = await window.untilGhost();
    await window.press('Control+ArrowRight');
    await window.until('less ghost text', async () => {
      const rest = await window.ghost();
      return rest !== '' && rest.length < ghost.length && ghost.endsWith(rest);
    });
    await window.press('Escape');
    await window.save();
    const word = /self\.y(.*)\n/.exec(await saved('word.py'))[1];
    assert.ok(word.length > 0 && word.length < ghost.length && ghost.startsWith(word), `${word} of ${ghost}`);
  },

  async suggests_a_block_and_accepts_a_line_of_it(window) {
    await window.openFile('block.py', 8);
    await window.press('Alt+Shift+Backslash');
    const ghost = await window.until('several lines', async () => {
      const text = await window.ghost();
      return text.includes('\n') && text;
    });
    await window.screenshot(picture('block'));
    await window.press('Control+ArrowDown');
    await window.until('a line less', async () => (await window.ghost()).split('\n').length < ghost.split('\n').length);
    await window.press('Escape');
  },

  async suggests_nothing_with_a_selection_or_several_cursors(window) {
    await window.openFile('typed.py', 6);
    await window.press('Control+Alt+ArrowUp');
    await window.type('r');
    await window.page.waitForTimeout(1_500);
    assert.equal(await window.ghost(), '');
    await window.press('Escape', 'Control+z');
  },

  async says_why_there_is_nothing(window) {
    await window.openFile('notes.txt', 1);
    await pickFromMenu(window, 'Disable for plaintext');
    await window.untilStatus(/Nothing is suggested in plaintext/);
    await window.command('Hearth: Why No Suggestion Here?');
    await window.page.locator('.notification-toast', { hasText: 'Nothing is suggested in plaintext' }).waitFor();
    await window.command('Notifications: Clear All Notifications');
    await pickFromMenu(window, 'Enable for plaintext');
    await window.untilStatus(/Suggestions come from/);
  },

  async is_switched_off_from_its_menu(window) {
    await window.openFile('shapes.py', 10);
    await window.page.locator('[id*="hearth.status"] a').first().click();
    await window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Disable everywhere' }).waitFor();
    await window.screenshot(picture('menu'));
    await window.pick('Disable everywhere');
    await window.untilStatus(/Hearth is switched off/);
    await pickFromMenu(window, 'Enable everywhere');
    await window.untilStatus(/Suggestions come from/);
  },
};

const window = await Window.open(setting('CASE_CHROMIUM'), setting('CASE_URL'));
const failed = [];
try {
  await window.page.locator('.monaco-workbench').waitFor();
  await window.until('the status item', async () => (await window.status()) !== '');
  for (const [name, run] of Object.entries(CASES)) {
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
