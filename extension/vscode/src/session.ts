// The server of this window: found, started, restarted, and what it last said of itself. Everything else asks here.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import { DidChangeConfigurationNotification, LanguageClient, State } from 'vscode-languageclient/node';
import type { Middleware, StaticFeature } from 'vscode-languageclient/node';
import type { Client, Facts, ServerStatus } from './appearance';
import { SELECTOR, banIn } from './here';
import { Indexing } from './indexing';
import type { Progress } from './indexing';
import { findServer } from './server_binary';
import { OWN_SETTINGS, SECTION, serverSettings } from './settings';
import { versionProblem } from './versions';

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
  readonly indexing = new Indexing();

  private sentSettings_ = ''; // as JSON
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

  get facts(): Facts {
    const document = vscode.window.activeTextEditor?.document;
    return {
      client: this.state,
      server: this.server,
      ban: document && banIn(document),
      indexing: this.indexing.howFar,
      warning: this.warning,
    };
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
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Running) return this.started(client);
      if (newState === State.Starting) this.forget();
      this.become({ phase: newState === State.Starting ? 'starting' : 'stopped' });
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

  // Where the user is, if anywhere.
  tellPlace(): void {
    const client = this.running;
    const editor = vscode.window.activeTextEditor;
    void client?.sendNotification('hearth/didFocus', {
      ...(editor && {
        textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
        position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      }),
    });
  }

  // The server's own progress; the window shows it, too.
  progressed(token: string | number, progress: Progress): void {
    if (this.indexing.progressed(token, progress)) this.changed_.fire();
  }

  // What another server said, or was told: the client starts one anew by itself, too, when one dies.
  private forget(): void {
    this.server = undefined;
    this.sentSettings_ = '';
    this.indexing.forget();
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
    if (vscode.window.activeTextEditor) this.sendSettings();
    this.tellPlace();
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
