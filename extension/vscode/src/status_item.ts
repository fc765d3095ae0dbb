// The item in the status bar.

import * as vscode from 'vscode';
import { appearanceOf } from './appearance';
import type { Session } from './session';

export function activate(session: Session): vscode.Disposable[] {
  const item = vscode.window.createStatusBarItem('hearth.status', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Hearth';
  item.command = 'hearth.menu';
  const show = () => {
    const { kind, text, tooltip } = appearanceOf(session.facts);
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: tooltip };
    item.backgroundColor =
      kind === 'error' || kind === 'warning' ? new vscode.ThemeColor(`statusBarItem.${kind}Background`) : undefined;
  };
  show();
  item.show();
  return [item, session.onDidChange(show)];
}
