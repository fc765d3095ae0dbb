// A window whose folder is not trusted: documents are completed, the folder is not indexed until it is trusted.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { picture, runCases, setting } from './run_cases.mjs';

const stores = async () => (await readdir(setting('CASE_STORES')).catch(() => [])).filter((name) => name.endsWith('.db'));

const CASES = {
  async completes_what_is_open_and_indexes_nothing(window) {
    await window.page.getByText('Get Started with Hearth').first().waitFor(); // it takes the focus
    await window.openFile('point.py', 4);
    await window.untilStatus(/Suggestions come from/);
    await window.type('y');
    await window.untilGhost();
    await window.press('Escape', 'Control+z');
    assert.deepEqual(await stores(), []);
    await window.screenshot(picture('untrusted'));
  },

  async indexes_the_folder_once_it_is_trusted_and_says_how_far_it_is(window) {
    const status = await window.watchStatus();
    await window.command('Workspaces: Manage Workspace Trust');
    await window.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
    await window.untilStatus(/is being indexed/);
    await window.screenshot(picture('indexing'));
    await window.until('a store', async () => (await stores()).length > 0);
    await window.untilStatus(/Suggestions come from hearth-code-20m\.$/);
    const said = await status.said();
    await status.stop();
    assert.ok(said.some((one) => /is being indexed: \d+ of \d+ files/.test(one)), JSON.stringify(said));
  },
};

await runCases(CASES);
