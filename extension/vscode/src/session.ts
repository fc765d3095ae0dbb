// The server of this window: found, started, restarted, and what it last said of itself. Everything else asks here.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import { DidChangeConfigurationNotification, LanguageClient, State } from 'vscode-languageclient/node';
import type { Middleware, ProgressToken, StaticFeature, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from 'vscode-languageclient/node';
import type { Client, ServerStatus } from './appearance';
import { findServer } from './server_binary';
import { versionProblem } from './versions';

export const SECTION = 'hearth';
const OWN_SETTINGS = 'server'; // of this client alone: the server knows no such setting

const SELECTOR = ['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote', 'vscode-vfs'].map((scheme) => ({ scheme }));

// What concerns suggestions as the document at hand has it: its folder and its language may have settings of their own.
export function serverSettings(): Record<string, unknown> {
  const read = (scope?: vscode.TextDocument) =>
    vscode.workspace.getConfiguration(undefined, scope).get<Record<string, unknown>>(SECTION) ?? {};
  const { [OWN_SETTINGS]: _, ...everywhere } = read();
  const { enable, completion } = read(vscode.window.activeTextEditor?.document);
  return { ...everywhere, enable, completion };
}

// Without a workspace to belong to, the server reads nothing but the documents that it is sent.
const withoutWorkspace: StaticFeature = {
  fillClientCapabilities() {},
  fillInitializeParams(params) {
    Object.assign(params, { rootUri: null, rootPath: null, workspaceFolders: null });
  },
  initialize() {},
  getState: () => ({ kind: 'static' }),
  clear() {},
};

export class Session implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Hearth', { log: true });
  client: LanguageClient | undefined;
  state: Client = { phase: 'stopped' };
  server: ServerStatus | undefined;
  warning: string | undefined;
  indexing: string | undefined; // how far it is

  private sentSettings_ = ''; // as JSON
  private readonly indexingTokens_ = new Set<ProgressToken>();
  private readonly changed_ = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed_.event;
  private readonly subscriptions_: vscode.Disposable[] = [];

  constructor(
    private readonly context_: vscode.ExtensionContext,
    private readonly middleware_: (session: Session) => Middleware,
  ) {
    this.subscriptions_.push(
      this.log,
      this.changed_,
      vscode.window.onDidChangeActiveTextEditor(() => this.lookedAt()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      vscode.workspace.onDidChangeConfiguration((event) => this.configured(event)),
    );
  }

  dispose(): void {
    for (const subscription of this.subscriptions_) subscription.dispose();
  }

  get running(): LanguageClient | undefined {
    return this.state.phase === 'running' ? this.client : undefined;
  }

  get binary() {
    return findServer({
      setting: vscode.workspace.getConfiguration(SECTION).get<string>('server.path', ''),
      extension: this.context_.extensionPath,
      path: process.env['PATH'] ?? '',
      home: os.homedir(),
      isProgram(path) {
        try {
          fs.accessSync(path, fs.constants.X_OK);
          return fs.statSync(path).isFile();
        } catch {
          return false;
        }
      },
    });
  }

  async start(): Promise<void> {
    const binary = this.binary;
    if ('problem' in binary) return this.failed(binary.problem);
    this.log.info(`starting ${binary.path} (${binary.origin})`);
    const client = new LanguageClient(
      SECTION,
      'Hearth',
      { command: binary.path, args: ['lsp'] },
      {
        documentSelector: SELECTOR,
        outputChannel: this.log,
        initializationOptions: () => ({ [SECTION]: { ...serverSettings(), triggerKinds: '3.18' } }),
        middleware: this.middleware_(this),
        stdioOptions: { stdout() {}, stderr: (input) => this.logLines(input) },
      },
    );
    if (!vscode.workspace.isTrusted) client.registerFeature(withoutWorkspace);
    this.client = client;
    this.sentSettings_ = '';
    this.server = undefined;
    this.indexing = undefined;
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Running) return this.started(client);
      this.become({ phase: newState === State.Stopped ? 'stopped' : 'starting' });
    });
    client.onNotification('hearth/status', (status: ServerStatus) => {
      if (client !== this.client) return;
      this.server = { ...status, ...(this.server?.here && { here: this.server.here }) };
      this.changed_.fire();
      void this.refresh();
    });
    try {
      await client.start();
    } catch (error) {
      if (client === this.client) this.failed(`The server ${binary.path} did not start: ${error instanceof Error ? error.message : error}`);
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch((error) => this.log.warn(String(error)));
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  // Asks the server how it is, and whether suggestions come where the user is.
  async refresh(): Promise<void> {
    const client = this.running;
    if (!client) return;
    const editor = vscode.window.activeTextEditor;
    const here = editor && { textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) } };
    try {
      const server = await client.sendRequest<ServerStatus>('hearth/status', here ?? {});
      if (client !== this.client) return;
      this.server = server;
      this.changed_.fire();
    } catch (error) {
      this.log.warn(`hearth/status: ${error}`);
    }
  }

  // The server's own progress; the window shows it, too.
  progressed(token: ProgressToken, params: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd): void {
    if (!String(token).startsWith('hearth/indexing/')) return;
    if (params.kind === 'begin') {
      this.indexingTokens_.add(token);
      this.indexing ??= '';
    }
    if (params.kind === 'report') {
      this.indexing = params.message ?? (params.percentage === undefined ? this.indexing : `${params.percentage} %`);
    }
    if (params.kind === 'end') {
      this.indexingTokens_.delete(token);
      if (this.indexingTokens_.size === 0) this.indexing = undefined;
    }
    this.changed_.fire();
  }

  private started(client: LanguageClient): void {
    this.warning = versionProblem(this.context_.extension.packageJSON.version, client.initializeResult?.serverInfo?.version);
    if (this.warning) void vscode.window.showWarningMessage(`Hearth: ${this.warning}`);
    this.become({ phase: 'running' });
    void this.refresh();
    this.lookedAt();
  }

  private failed(problem: string): void {
    this.log.error(problem);
    this.become({ phase: 'failed', problem });
    const settings = 'Open Settings';
    const start = 'Get Started';
    void vscode.window.showErrorMessage(problem, settings, start).then((chosen) => {
      if (chosen === settings) void vscode.commands.executeCommand('workbench.action.openSettings', 'hearth.server.path');
      if (chosen === start) void vscode.commands.executeCommand('hearth.openWalkthrough');
    });
  }

  private become(state: Client): void {
    this.state = state;
    this.changed_.fire();
  }

  private lookedAt(): void {
    const client = this.running;
    const editor = vscode.window.activeTextEditor;
    if (!client) return;
    if (editor) this.sendSettings();
    void client.sendNotification('hearth/didFocus', {
      ...(editor && {
        textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
        position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      }),
    });
    void this.refresh();
  }

  private configured(event: vscode.ConfigurationChangeEvent): void {
    if (!event.affectsConfiguration(SECTION)) return;
    const needsStart = [`${SECTION}.${OWN_SETTINGS}`, `${SECTION}.model`, `${SECTION}.engine`];
    if (needsStart.some((section) => event.affectsConfiguration(section))) return void this.restart();
    this.sendSettings();
  }

  private sendSettings(): void {
    const settings = { [SECTION]: serverSettings() };
    const text = JSON.stringify(settings);
    if (!this.running || text === this.sentSettings_) return;
    this.sentSettings_ = text;
    void this.running.sendNotification(DidChangeConfigurationNotification.type, { settings }).then(() => this.refresh());
  }

  private logLines(input: NodeJS.ReadableStream): void {
    readline.createInterface({ input, crlfDelay: Infinity }).on('line', (line) => {
      if (line.startsWith('E ')) this.log.error(line);
      else if (line.startsWith('W ')) this.log.warn(line);
      else this.log.info(line);
    });
  }
}
