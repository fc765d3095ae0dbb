// The item in the status bar.

import * as vscode from 'vscode';
import { appearanceOf } from './appearance';
import type { Session } from './session';

export function activate(session: Session): vscode.Disposable[] {
  const item = vscode.window.createStatusBarItem('hearth.status', vscode.StatusBarAlignment.Right, 100);
  item.name = 'Hearth';
  item.command = 'hearth.menu';
  const show = () => {
    const { kind, text, tooltip } = appearanceOf({
      client: session.state,
      ...(session.server && { server: session.server }),
      ...(session.indexing !== undefined && { indexing: session.indexing }),
      ...(session.warning && { warning: session.warning }),
    });
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: tooltip };
    item.backgroundColor = kind === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  };
  show();
  item.show();
  return [item, session.onDidChange(show)];
}
