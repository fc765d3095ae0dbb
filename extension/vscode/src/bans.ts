// Why nothing is suggested at a place whatever the server would say: it is not asked about it, or not without a key.
// Pure.

import type { Here } from './appearance';

export interface Ban extends Here {
  suggests: false;
}

function because(code: string, message: string, setting?: string): Ban {
  return { suggests: false, code, message, ...(setting !== undefined && { setting }) };
}

export function documentBan(scheme: string, is: { synced: boolean; writable: boolean }): Ban | undefined {
  if (!is.synced) return because('notRead', `Hearth does not read documents of this kind (${scheme}:).`);
  if (!is.writable) return because('readOnly', 'Nothing is suggested in what cannot be written.');
  return undefined;
}

export function selectionBan(selections: readonly { isEmpty: boolean }[]): Ban | undefined {
  if (selections.length > 1) return because('severalCursors', 'Nothing is suggested with several cursors.');
  if (selections.some(({ isEmpty }) => !isEmpty)) return because('selection', 'Nothing is suggested over a selection.');
  return undefined;
}

export function typingBan(isGhostTextOn: boolean): Ban | undefined {
  if (isGhostTextOn) return undefined;
  const setting = 'editor.inlineSuggest.enabled';
  return because('onlyAsked', `Suggestions come only when a key asks for them: ${setting} is off.`, setting);
}
