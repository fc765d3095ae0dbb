// The status item's menu: switches, the model, and where to look when something is amiss.

import * as vscode from 'vscode';
import { appearanceOf } from './appearance';
import { SECTION } from './session';
import type { Session } from './session';

interface Entry extends vscode.QuickPickItem {
  run(): unknown;
}

const EFFORT = 'engine.effort';
const EFFORTS = ['max', 'high', 'medium'];
const DISABLED_LANGUAGES = 'completion.disabledLanguages';
const settings = () => vscode.workspace.getConfiguration(SECTION);

function switches(editor: vscode.TextEditor | undefined): Entry[] {
  const entries: Entry[] = [];
  const enable = settings().inspect<boolean>('enable');
  const here = enable?.workspaceValue;
  if (vscode.workspace.workspaceFolders) {
    entries.push({
      label: here === false ? '$(check) Enable in this workspace' : '$(circle-slash) Disable in this workspace',
      run: () => settings().update('enable', here === false ? undefined : false, vscode.ConfigurationTarget.Workspace),
    });
  }
  const language = editor?.document.languageId;
  if (language !== undefined) {
    const disabled = settings().get<string[]>(DISABLED_LANGUAGES, []);
    const isOff = disabled.includes(language);
    entries.push({
      label: isOff ? `$(check) Enable for ${language}` : `$(circle-slash) Disable for ${language}`,
      run: () =>
        settings().update(
          DISABLED_LANGUAGES,
          isOff ? disabled.filter((name) => name !== language) : [...disabled, language],
          vscode.ConfigurationTarget.Global,
        ),
    });
  }
  const everywhere = enable?.globalValue ?? true;
  entries.push({
    label: everywhere ? '$(circle-slash) Disable everywhere' : '$(check) Enable everywhere',
    run: () => settings().update('enable', !everywhere, vscode.ConfigurationTarget.Global),
  });
  return entries;
}

// Only servers that know efforts have the setting.
function effort(): Entry[] {
  const known = settings().inspect<string>(EFFORT);
  if (known?.defaultValue === undefined) return [];
  const now = settings().get<string>(EFFORT);
  const choose = async () => {
    const chosen = await vscode.window.showQuickPick(EFFORTS, { placeHolder: `Effort, now: ${now}` });
    if (chosen) await settings().update(EFFORT, chosen, vscode.ConfigurationTarget.Global);
  };
  return [{ label: `$(dashboard) Effort: ${now}`, run: choose }];
}

const command = (label: string, name: string): Entry => ({ label, run: () => vscode.commands.executeCommand(name) });

async function showMenu(session: Session): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const entries: Entry[] = [
    ...switches(editor),
    ...(editor ? [command('$(question) Why no suggestion here?', 'hearth.why')] : []),
    ...effort(),
    command('$(package) Choose the model', 'hearth.chooseModel'),
    command('$(graph) Show statistics', 'hearth.showStatistics'),
    command('$(output) Open log', 'hearth.openLog'),
    command('$(debug-restart) Restart', 'hearth.restart'),
    command('$(book) Get started', 'hearth.openWalkthrough'),
  ];
  const { tooltip } = appearanceOf({ client: session.state, ...(session.server && { server: session.server }) });
  await (await vscode.window.showQuickPick(entries, { placeHolder: tooltip }))?.run();
}

async function why(session: Session): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const client = session.running;
  if (!client) {
    const { tooltip } = appearanceOf({ client: session.state });
    return void vscode.window.showInformationMessage(tooltip);
  }
  const convert = client.code2ProtocolConverter;
  const answer = await client.sendRequest<{ message: string; setting?: string }>('hearth/why', {
    textDocument: { uri: convert.asUri(editor.document.uri) },
    position: convert.asPosition(editor.selection.active),
  });
  const open = 'Open Settings';
  const chosen = await vscode.window.showInformationMessage(`Hearth: ${answer.message}`, ...(answer.setting ? [open] : []));
  if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', answer.setting);
}

async function chooseModel(): Promise<void> {
  const use = (path: string | undefined) => () => settings().update('model.path', path, vscode.ConfigurationTarget.Global);
  const entries: Entry[] = [
    { label: 'The default model when it is fetched, else the embedded one', run: use(undefined) },
    { label: 'hearth-code-20m', description: 'embedded: small and fast', run: use('hearth-code-20m') },
    command('$(cloud-download) Fetch the default model, hearth-code-135m', 'hearth.fetchModel'),
    {
      label: '$(folder-opened) A GGUF file…',
      async run() {
        const [file] = (await vscode.window.showOpenDialog({ filters: { 'GGUF models': ['gguf'] } })) ?? [];
        if (file) await use(file.fsPath)();
      },
    },
  ];
  const now = settings().get<string>('model.path') || 'the default';
  await (await vscode.window.showQuickPick(entries, { placeHolder: `Now: ${now}` }))?.run();
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
    'hearth.chooseModel': chooseModel,
    'hearth.showStatistics': () => showStatistics(session),
    'hearth.openLog': () => session.log.show(),
    'hearth.restart': () => session.restart(),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
}
