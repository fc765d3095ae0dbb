// Lists to pick from whose entries do something.

import * as vscode from 'vscode';

export interface Entry extends vscode.QuickPickItem {
  run(): unknown;
}

export const command = (label: string, name: string): Entry => ({ label, run: () => vscode.commands.executeCommand(name) });

export async function pickAndRun(entries: Entry[], placeHolder: string): Promise<void> {
  await (await vscode.window.showQuickPick(entries, { placeHolder }))?.run();
}
