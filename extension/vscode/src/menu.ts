// The status item's menu: switches, and where to look when something is amiss.

import * as vscode from 'vscode';
import { appearanceOf } from './appearance';
import type { Here } from './appearance';
import { command, pickAndRun } from './entries';
import type { Entry } from './entries';
import { banAt } from './here';
import type { Session } from './session';
import { effective, ofAllLanguages, ofLanguage, writeAtOrigin, writesFor, writesForLanguage } from './setting_writes';
import type { Scope } from './setting_writes';
import { Settings } from './settings';

const EFFORT = 'engine.effort';
const EFFORTS = ['max', 'high', 'medium'];
const DISABLED_LANGUAGES = 'completion.disabledLanguages';

// `disabledAs`: what the server says of the document's language.
function switches(document: vscode.TextDocument | undefined, disabledAs: string[] | undefined): Entry[] {
  const settings = new Settings(document);
  const entries: Entry[] = [];
  const enable = settings.inspect<boolean>('enable');
  const turn = (scope: Scope, on: boolean) => () => settings.write('enable', writesFor(enable, scope, on));
  if (vscode.workspace.workspaceFolders) {
    const isOff = ofAllLanguages(enable) === false;
    entries.push({
      label: isOff ? '$(check) Enable in this workspace' : '$(circle-slash) Disable in this workspace',
      run: turn('workspace', isOff),
    });
  }
  if (document) {
    const language = document.languageId;
    const listed = settings.inspect<string[]>(DISABLED_LANGUAGES);
    const disabled = effective(listed) ?? [];
    const names = disabledAs ?? disabled.filter((name) => name === language);
    const isListed = names.length > 0;
    const isOff = isListed || ofLanguage(enable) === false;
    entries.push({
      label: isOff ? `$(check) Enable for ${language}` : `$(circle-slash) Disable for ${language}`,
      async run() {
        if (isOff) await settings.write('enable', writesForLanguage(enable, true));
        if (isOff && !isListed) return;
        const others = disabled.filter((name) => !names.includes(name));
        await settings.write(DISABLED_LANGUAGES, [writeAtOrigin(listed, isOff ? others : [...others, language])]);
      },
    });
  }
  const everywhere = enable.globalValue ?? true;
  entries.push({
    label: everywhere ? '$(circle-slash) Disable everywhere' : '$(check) Enable everywhere',
    run: turn('global', !everywhere),
  });
  return entries;
}

// Only servers that know efforts have the setting.
function effort(): Entry[] {
  const settings = new Settings();
  const known = settings.inspect<string>(EFFORT);
  if (known.defaultValue === undefined) return [];
  const now = effective(known);
  const choose = async () => {
    const chosen = await vscode.window.showQuickPick(EFFORTS, { placeHolder: `Effort, now: ${now}` });
    if (chosen) await settings.write(EFFORT, [writeAtOrigin(known, chosen)]);
  };
  return [{ label: `$(dashboard) Effort: ${now}`, run: choose }];
}

async function showMenu(session: Session): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const entries: Entry[] = [
    ...switches(editor?.document, session.server?.here?.disabledAs),
    ...(editor ? [command('$(question) Why no suggestion here?', 'hearth.why')] : []),
    ...effort(),
    command('$(package) Choose the model', 'hearth.chooseModel'),
    command('$(graph) Show statistics', 'hearth.showStatistics'),
    command('$(output) Open log', 'hearth.openLog'),
    command('$(debug-restart) Restart', 'hearth.restart'),
    command('$(book) Get started', 'hearth.openWalkthrough'),
  ];
  await pickAndRun(entries, appearanceOf(session.facts).summary);
}

async function tell({ message, setting }: Pick<Here, 'message' | 'setting'>): Promise<void> {
  const open = 'Open Settings';
  const chosen = await vscode.window.showInformationMessage(`Hearth: ${message}`, ...(setting ? [open] : []));
  if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', setting);
}

async function why(session: Session): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const client = session.running;
  if (!client) return void vscode.window.showInformationMessage(appearanceOf(session.facts).tooltip);
  const ban = banAt(editor);
  if (ban) return tell(ban);
  const convert = client.code2ProtocolConverter;
  const where = {
    textDocument: { uri: convert.asUri(editor.document.uri) },
    position: convert.asPosition(editor.selection.active),
  };
  const unsaid = (error: unknown) => ({ message: `The server does not say why: ${error instanceof Error ? error.message : error}` });
  await tell(await client.sendRequest<Here>('hearth/why', where).catch(unsaid));
}

interface Statistics {
  model?: string;
  device?: string;
  completions?: Record<string, number>;
  suggestions?: Record<string, number>;
  engine?: Record<string, number>;
}

async function showStatistics(session: Session): Promise<void> {
  const status = await session.running?.sendRequest<Statistics>('hearth/status', {});
  if (!status) return;
  const { queries, typedThrough, engineAnswers, empty } = status.completions ?? {};
  const { shown, accepted, partlyAccepted, displaced, characters, ...fates } = status.suggestions ?? {};
  const speed = (name: string) => Math.round(status.engine?.[name] ?? 0) || 'not measured yet';
  const lines = [
    `Model: ${status.model} on ${status.device}`,
    `Reading, tokens a second: ${speed('prefillTokensPerS')}`,
    `Writing, tokens a second: ${speed('decodeTokensPerS')}`,
    `Memory: ${Math.round((status.engine?.['cacheBytes'] ?? 0) / 1_000_000)} MB of what was read`,
    `Asked: ${queries}; typed through: ${typedThrough}; answered by the model: ${engineAnswers}, of them with nothing: ${empty}`,
    `Shown: ${shown}; accepted: ${accepted}; in part: ${partlyAccepted}; typed to the end: ${fates['typedThrough']}; displaced: ${displaced}`,
    `Characters that were not typed: ${characters}`,
    'Of all windows, by language: hearth stats',
  ];
  await vscode.window.showInformationMessage('Hearth in this window', { modal: true, detail: lines.join('\n') });
}

export function activate(session: Session): vscode.Disposable[] {
  const commands: Record<string, () => unknown> = {
    'hearth.menu': () => showMenu(session),
    'hearth.why': () => why(session),
    'hearth.showStatistics': () => showStatistics(session),
    'hearth.openLog': () => session.log.show(),
    'hearth.restart': () => session.restart(),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
}
