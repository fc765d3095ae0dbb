// Wires the features to the one session of this window.

import * as vscode from 'vscode';
import * as inlineCompletion from './inline_completion';
import * as menu from './menu';
import * as modelChoice from './model_choice';
import * as modelFetch from './model_fetch';
import * as rest from './rest';
import { Session } from './session';
import * as statusItem from './status_item';

const GREETED = 'hearth.greeted';
let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  session = new Session(context, inlineCompletion.middleware);
  const openWalkthrough = () =>
    vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#start`, false);
  context.subscriptions.push(
    session,
    ...inlineCompletion.activate(),
    ...rest.activate(session),
    ...statusItem.activate(session),
    ...menu.activate(session),
    ...modelChoice.activate(),
    ...modelFetch.activate(session),
    vscode.commands.registerCommand('hearth.openWalkthrough', openWalkthrough),
  );
  void session.start();
  if (!context.globalState.get(GREETED)) {
    void context.globalState.update(GREETED, true);
    void openWalkthrough();
  }
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
