// Tells the server where the cursor rests, so that it is warm there before the first key.

import * as vscode from 'vscode';
import type { Session } from './session';

const REST_MS = 200;

export function activate(session: Session): vscode.Disposable[] {
  let timer: NodeJS.Timeout | undefined;
  let editedAt = -Infinity;
  return [
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document !== vscode.window.activeTextEditor?.document) return;
      clearTimeout(timer);
      editedAt = performance.now();
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      clearTimeout(timer);
      const moves = performance.now() - editedAt >= REST_MS; // else with what is typed
      if (moves && textEditor === vscode.window.activeTextEditor) timer = setTimeout(() => session.tellPlace(), REST_MS);
    }),
    { dispose: () => clearTimeout(timer) },
  ];
}
