// A window of VS Code in headless Chromium, as a person sees and uses it.

import { chromium } from 'playwright-core';

const TIMEOUT_MS = Number(process.env.CASE_TIMEOUT_MS);
const CHROMIUM = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export class Window {
  static async open(executablePath, url) {
    const browser = await chromium.launch({ executablePath, headless: true, args: CHROMIUM });
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(url);
    return new Window(browser, page);
  }

  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
    this.hasOpenedFiles = false;
  }

  close() {
    return this.browser.close();
  }

  screenshot(path) {
    return this.page.screenshot({ path });
  }

  // Waits until `what()` gives something that is neither undefined nor false.
  async until(said, what) {
    const end = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = await what();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end) throw new Error(`waited in vain for ${said}`);
      await this.page.waitForTimeout(50);
    }
  }

  // The status item's accessible label.
  async status() {
    const items = await this.page.locator('[id="hearth.hearth.hearth.status"], [id*="hearth.status"]').all();
    return items.length > 0 ? ((await items[0].locator('[aria-label]').first().getAttribute('aria-label')) ?? '') : '';
  }

  untilStatus(pattern) {
    return this.until(`status ${pattern}`, async () => pattern.test(await this.status()) && this.status());
  }

  // What the status item says from now on: `said()` gives it all, each once in a row, until `stop()`.
  async watchStatus() {
    await this.page.evaluate(() => {
      const label = () => document.querySelector('[id*="hearth.status"] [aria-label]')?.getAttribute('aria-label');
      const said = [label()];
      const observer = new MutationObserver(() => {
        if (label() !== undefined && label() !== said.at(-1)) said.push(label());
      });
      observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      globalThis.saidByStatus = said;
      globalThis.stopWatchingStatus = () => observer.disconnect();
    });
    return {
      said: () => this.page.evaluate(() => globalThis.saidByStatus),
      stop: () => this.page.evaluate(() => globalThis.stopWatchingStatus()),
    };
  }

  // In how many frames there is no ghost text while `act` is done.
  async framesWithoutGhost(act) {
    await this.page.evaluate(() => {
      const counted = { all: 0, without: 0, running: true };
      const look = () => {
        counted.all += 1;
        if (!document.querySelector('.view-lines [class*="ghost-text"]')) counted.without += 1;
        if (counted.running) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      globalThis.countedFrames = counted;
    });
    await act();
    return this.page.evaluate(() => {
      globalThis.countedFrames.running = false;
      return globalThis.countedFrames;
    });
  }

  // What the ghost text shows, lines joined by "\n"; empty where there is none.
  ghost() {
    return this.page.evaluate(() => {
      const visible = (element) => element.offsetParent !== null;
      const lines = new Map();
      for (const element of document.querySelectorAll('.view-lines [class*="ghost-text"], .view-zones [class*="ghost-text"]')) {
        if (!visible(element) || element.querySelector('[class*="ghost-text"]')) continue;
        const top = Math.round(element.getBoundingClientRect().top);
        lines.set(top, (lines.get(top) ?? '') + element.textContent);
      }
      return [...lines].sort(([a], [b]) => a - b).map(([, text]) => text.replaceAll('\u00a0', ' ').replaceAll('\u00b7', ' ')).join('\n');
    });
  }

  untilGhost() {
    return this.until('ghost text', async () => (await this.ghost()) || undefined);
  }

  async untilNoGhost() {
    await this.until('no ghost text', async () => (await this.ghost()) === '');
  }

  // Presses a key where no ghost text is; the milliseconds from it to ghost text in the page.
  async keyToGhost(key) {
    await this.page.evaluate(() => {
      globalThis.keyToGhost = new Promise((resolve) => {
        const pressed = () => {
          const start = performance.now();
          const observer = new MutationObserver(() => {
            if (!document.querySelector('.view-lines [class*="ghost-text"]')) return;
            observer.disconnect();
            resolve(performance.now() - start);
          });
          observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        };
        addEventListener('keydown', pressed, { once: true, capture: true });
      });
    });
    await this.press(key);
    return this.page.evaluate(() => globalThis.keyToGhost);
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text) {
    return this.page.keyboard.type(text, { delay: 30 });
  }

  async command(title) {
    await this.press('F1');
    await this.page.locator('.quick-input-widget input').first().fill(`>${title}`);
    await this.pick(title);
  }

  // An entry of the open quick pick.
  async pick(label) {
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().click();
  }

  // What the input of the open quick pick says while it is empty.
  untilPlaceholder(pattern) {
    const input = this.page.locator('.quick-input-widget input').first();
    return this.until(`placeholder ${pattern}`, async () => pattern.exec((await input.getAttribute('placeholder')) ?? '') ?? undefined);
  }

  async openMenu() {
    await this.page.locator('[id*="hearth.status"] a').first().click();
  }

  async pickFromMenu(label) {
    await this.openMenu();
    await this.pick(label);
  }

  // A notification that says so; it is closed then.
  async notification(text) {
    const toast = this.page.locator('.notification-toast', { hasText: text });
    await toast.first().waitFor();
    const said = await toast.first().innerText();
    await this.command('Notifications: Clear All Notifications');
    return said;
  }

  // A window that still opens takes the list of files away again.
  quickOpen(name, wanted) {
    return this.until(`${name} in the list of files`, async () => {
      await this.press('Control+p');
      try {
        await this.page.locator('.quick-input-widget input').first().fill(wanted, { timeout: 3_000 });
        await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).first().waitFor({ timeout: 10_000 });
      } catch {
        return false;
      }
      await this.press('Enter');
      return true;
    });
  }

  // Opens a file of the workspace with the cursor at the end of a line (from 1).
  async openFile(name, line) {
    await this.quickOpen(name, `${name}:${line}`);
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    // The editor asks nobody about a key in the first quarter of a second of a window's first file.
    if (!this.hasOpenedFiles) await this.page.waitForTimeout(1_000);
    this.hasOpenedFiles = true;
    await this.press('End');
  }

  async openNotebook(name) {
    await this.quickOpen(name, name);
    await this.page.locator('.notebookOverlay .code-cell-row').first().waitFor();
  }

  // In their own editor, because this code-server watches no files; the workspace's, because of the user's a remote
  // window takes no paths.
  async writeWorkspaceSettings(settings) {
    await this.command('Preferences: Open Workspace Settings (JSON)');
    await this.page.locator('.tab.active[data-resource-name="settings.json"]').waitFor();
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await this.press('Control+a', 'Delete');
    await this.page.keyboard.insertText(JSON.stringify(settings));
    await this.save();
    await this.command('View: Close Editor');
  }

  // Takes the whole of the ghost text that is there.
  async acceptAndSave(ghost) {
    await this.press('Tab');
    await this.until('acceptance', async () => (await this.ghost()) !== ghost);
    await this.press('Escape');
    await this.save();
  }

  // Saves a changed file.
  async save() {
    await this.page.locator('.tab.active.dirty').waitFor();
    await this.press('Control+s');
    await this.page.locator('.tab.active:not(.dirty)').waitFor();
  }
}
