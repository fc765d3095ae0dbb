// The settings as a document has them: what the server is told of them, and writing them.

import * as vscode from 'vscode';
import type { Inspected, Scope, Write } from './setting_writes';

export const SECTION = 'hearth';
export const OWN_SETTINGS = 'server'; // of this client alone: the server knows no such setting

const TARGETS: Record<Scope, vscode.ConfigurationTarget> = {
  global: vscode.ConfigurationTarget.Global,
  workspace: vscode.ConfigurationTarget.Workspace,
  folder: vscode.ConfigurationTarget.WorkspaceFolder,
};

// What concerns suggestions as the document at hand has it: its folder and its language may have settings of their own.
export function serverSettings(): Record<string, unknown> {
  const read = (scope?: vscode.TextDocument) =>
    vscode.workspace.getConfiguration(undefined, scope).get<Record<string, unknown>>(SECTION) ?? {};
  const { [OWN_SETTINGS]: _, ...everywhere } = read();
  const { enable, completion } = read(vscode.window.activeTextEditor?.document);
  return { ...everywhere, enable, completion };
}

export class Settings {
  // Without a document: the values of no language and no folder.
  constructor(private readonly document_?: vscode.TextDocument) {}

  inspect<T>(name: string): Inspected<T> {
    return this.now_.inspect<T>(name) ?? {};
  }

  async write<T>(name: string, writes: Write<T>[]): Promise<void> {
    for (const { scope, isOfLanguage, value } of writes) await this.now_.update(name, value, TARGETS[scope], isOfLanguage);
  }

  private get now_(): vscode.WorkspaceConfiguration {
    return vscode.workspace.getConfiguration(SECTION, this.document_);
  }
}
