// Ghost text: what is asked of the server and when, and taking a part of it.

import * as vscode from 'vscode';
import { InlineCompletionRequest } from 'vscode-languageclient/node';
import type { Middleware } from 'vscode-languageclient/node';
import { selectionBan } from './bans';
import { isInWritableFileSystem } from './here';
import { Pace } from './pace';
import type { Session } from './session';
import { serverSettings } from './settings';
import { Wish } from './wish';
import type { Extent, Place } from './wish';
import { nextUnspacedWord, restOf } from './words';

type Answer = vscode.InlineCompletionItem[] | vscode.InlineCompletionList | null | undefined;

let shown: { document: vscode.TextDocument; items: vscode.InlineCompletionItem[] } | undefined;

const pace = new Pace();
const wish = new Wish();

function placeOf({ uri, version }: vscode.TextDocument, { line, character }: vscode.Position): Place {
  return { uri: uri.toString(), version, line, character };
}

// False when the editor has lost interest meanwhile.
function rested(ms: number, token: vscode.CancellationToken): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(!token.isCancellationRequested), ms);
    token.onCancellationRequested(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

function isOneCursor(document: vscode.TextDocument): boolean {
  const editor = vscode.window.activeTextEditor;
  return editor?.document !== document || selectionBan(editor.selections) === undefined;
}

export function middleware(session: Session): Middleware {
  return {
    async provideInlineCompletionItems(document, position, context, token, next) {
      const isAutomatic = context.triggerKind === vscode.InlineCompletionTriggerKind.Automatic;
      const extent = isAutomatic ? undefined : wish.take(placeOf(document, position));
      const client = session.running;
      if (!client || !isInWritableFileSystem(document) || !isOneCursor(document)) return null;
      if (isAutomatic && pace.waitMs > 0 && !(await rested(pace.waitMs, token))) return null;
      let answer: Answer;
      if (extent === undefined) {
        const asked = performance.now();
        answer = await next(document, position, context, token);
        if (isAutomatic && !token.isCancellationRequested) pace.answered(performance.now() - asked);
      } else {
        const params = { ...client.code2ProtocolConverter.asInlineCompletionParams(document, position, context), extent };
        const result = await client.sendRequest(InlineCompletionRequest.type, params, token);
        answer = await client.protocol2CodeConverter.asInlineCompletionResult(result ?? undefined, token);
      }
      const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
      if (!token.isCancellationRequested) shown = { document, items };
      return answer;
    },
    handleWorkDoneProgress(token, params, next) {
      session.progressed(token, params);
      next(token, params);
    },
    workspace: {
      configuration({ items }) {
        return items.map(() => serverSettings()); // the server asks for its own section alone
      },
    },
  };
}

async function suggest(editor: vscode.TextEditor, extent: Extent): Promise<void> {
  const trigger = () => vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  await wish.during(extent, placeOf(editor.document, editor.selection.active), trigger);
}

// What is left of the suggestion that can be seen; undefined where it may be one of several.
function visibleRest(editor: vscode.TextEditor): string | undefined {
  const cursor = editor.selection.active;
  const items = shown?.document === editor.document ? shown.items : [];
  const [rest, ...others] = items.flatMap(({ insertText, range }) => {
    if (typeof insertText !== 'string' || !range || range.start.isAfter(cursor)) return [];
    return restOf(insertText, editor.document.getText(new vscode.Range(range.start, cursor))) ?? [];
  });
  return others.length > 0 ? undefined : rest;
}

async function acceptNextWord(editor: vscode.TextEditor): Promise<void> {
  const rest = visibleRest(editor);
  const word = rest === undefined ? undefined : nextUnspacedWord(rest);
  if (word === undefined) {
    await vscode.commands.executeCommand('editor.action.inlineSuggest.acceptNextWord');
  } else {
    await editor.edit((edit) => edit.insert(editor.selection.active, word));
  }
}

// The editor takes a line end at the cursor for a line of its own.
async function acceptNextLine(editor: vscode.TextEditor): Promise<void> {
  const start = editor.selection.active;
  await vscode.commands.executeCommand('editor.action.inlineSuggest.acceptNextLine');
  const accepted = editor.document.getText(new vscode.Range(start, editor.selection.active));
  if (/^\r?\n$/.test(accepted)) await vscode.commands.executeCommand('editor.action.inlineSuggest.acceptNextLine');
}

export function activate(): vscode.Disposable[] {
  const inEditor = (act: (editor: vscode.TextEditor) => Promise<void>) => async () => {
    if (vscode.window.activeTextEditor) await act(vscode.window.activeTextEditor);
  };
  return [
    vscode.commands.registerCommand('hearth.suggestBlock', inEditor((editor) => suggest(editor, 'block'))),
    vscode.commands.registerCommand('hearth.suggestLine', inEditor((editor) => suggest(editor, 'line'))),
    vscode.commands.registerCommand('hearth.acceptNextWord', inEditor(acceptNextWord)),
    vscode.commands.registerCommand('hearth.acceptNextLine', inEditor(acceptNextLine)),
  ];
}
