// A language client made of vscode-languageserver-protocol's types: every message that Hearth is sent
// or sends here is one that a typed client accepts. Opens CASE_FILE, types CASE_TYPED at the cursor,
// asks by CASE_METHOD, accepts the first item as an editor would, saves, shuts down.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  CompletionItem,
  CompletionRequest,
  CompletionTriggerKind,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  InlineCompletionItem,
  InlineCompletionRequest,
  InlineCompletionTriggerKind,
  InsertTextFormat,
  LogMessageNotification,
  Position,
  PositionEncodingKind,
  ShowMessageNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentIdentifier,
  TextEdit,
} from 'vscode-languageserver-protocol/node';

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

// Positions count UTF-16 units, as JavaScript's strings do.
function offsetOf(text: string, position: Position): number {
  const lines = text.split('\n').slice(0, position.line);
  return lines.reduce((sum, line) => sum + line.length + 1, 0) + position.character;
}

function withEdit(text: string, edit: TextEdit): string {
  const { start, end } = edit.range;
  return text.slice(0, offsetOf(text, start)) + edit.newText + text.slice(offsetOf(text, end));
}

const path = setting('CASE_FILE');
const command: string[] = JSON.parse(setting('CASE_SERVER'));
const server = spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = createProtocolConnection(
  new StreamMessageReader(server.stdout),
  new StreamMessageWriter(server.stdin),
);
connection.onNotification(ShowMessageNotification.type, (params) => console.log(params.message));
connection.onNotification(LogMessageNotification.type, (params) => console.log(params.message));
connection.onError(([error]) => {
  throw error;
});
connection.listen();

const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
  processId: process.pid,
  rootUri: null,
  capabilities: {
    general: { positionEncodings: [PositionEncodingKind.UTF16] },
    textDocument: { completion: { completionItem: { insertReplaceSupport: false } }, inlineCompletion: {} },
  },
  initializationOptions: { hearth: { triggerKinds: '3.18', ...JSON.parse(setting('CASE_SETTINGS')) } },
});
if (!capabilities.completionProvider || !capabilities.inlineCompletionProvider) {
  throw new Error(`not offered: ${JSON.stringify(capabilities)}`);
}
await connection.sendNotification(InitializedNotification.type, {});

const textDocument: TextDocumentIdentifier = { uri: pathToFileURL(path).href };
let text = await readFile(path, 'utf8');
let version = 1;
await connection.sendNotification(DidOpenTextDocumentNotification.type, {
  textDocument: { ...textDocument, languageId: 'python', version, text },
});

async function change(edit: TextEdit): Promise<void> {
  text = withEdit(text, edit);
  version += 1;
  await connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { ...textDocument, version },
    contentChanges: [{ range: edit.range, text: edit.newText }],
  });
}

let position: Position = {
  line: Number(setting('CASE_LINE')),
  character: Number(setting('CASE_UTF16')),
};
for (const key of setting('CASE_TYPED')) {
  await change(TextEdit.insert(position, key));
  position = { line: position.line, character: position.character + key.length };
}

async function completion(): Promise<TextEdit> {
  const answer = await connection.sendRequest(CompletionRequest.type, {
    textDocument,
    position,
    context: { triggerKind: CompletionTriggerKind.Invoked },
  });
  const items: CompletionItem[] = Array.isArray(answer) ? answer : (answer?.items ?? []);
  const edit = items[0]?.textEdit;
  if (!edit || !TextEdit.is(edit) || items[0]?.insertTextFormat === InsertTextFormat.Snippet) {
    throw new Error(`no plain edit: ${JSON.stringify(answer)}`);
  }
  return edit;
}

async function inlineCompletion(): Promise<TextEdit> {
  const answer = await connection.sendRequest(InlineCompletionRequest.type, {
    textDocument,
    position,
    context: { triggerKind: InlineCompletionTriggerKind.Invoked },
  });
  const items: InlineCompletionItem[] = Array.isArray(answer) ? answer : (answer?.items ?? []);
  const item = items[0];
  if (!item?.range || typeof item.insertText !== 'string') {
    throw new Error(`no plain item: ${JSON.stringify(answer)}`);
  }
  return { range: item.range, newText: item.insertText };
}

await change(await (setting('CASE_METHOD') === CompletionRequest.method ? completion() : inlineCompletion()));
await writeFile(path, text);
await connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument });
const exited = once(server, 'exit');
await connection.sendRequest(ShutdownRequest.type);
await connection.sendNotification(ExitNotification.type);
const [status] = await exited;
if (status !== 0) throw new Error(`the server exited with ${status}`);
