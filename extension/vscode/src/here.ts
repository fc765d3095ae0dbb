// What the editor knows of the place at hand and the server does not.

import * as vscode from 'vscode';
import { documentBan, selectionBan, typingBan } from './bans';
import type { Ban } from './bans';

// The documents that the server is sent.
export const SELECTOR = ['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote', 'vscode-vfs'].map((scheme) => ({ scheme }));

export function isInWritableFileSystem({ uri }: vscode.TextDocument): boolean {
  return vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== false;
}

// As far as settings say it: what was made read-only for this window alone cannot be seen from here.
function isReadOnlyBySettings(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration('files', document);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const isNamedIn = (setting: string) =>
    Object.entries(files.get<Record<string, unknown>>(setting, {})).some(([pattern, isOn]) => {
      const filters = [{ pattern }, ...(folder ? [{ pattern: new vscode.RelativePattern(folder, pattern) }] : [])];
      return isOn === true && vscode.languages.match(filters, document) > 0;
    });
  return isNamedIn('readonlyInclude') && !isNamedIn('readonlyExclude');
}

export function banIn(document: vscode.TextDocument): Ban | undefined {
  return documentBan(document.uri.scheme, {
    synced: vscode.languages.match(SELECTOR, document) > 0,
    writable: isInWritableFileSystem(document) && !isReadOnlyBySettings(document),
  });
}

export function banAt({ document, selections }: vscode.TextEditor): Ban | undefined {
  const isGhostTextOn = vscode.workspace.getConfiguration('editor', document).get('inlineSuggest.enabled', true);
  return banIn(document) ?? selectionBan(selections) ?? typingBan(isGhostTextOn);
}
