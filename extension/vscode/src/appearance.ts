// What the status item says, from what is known. Pure.

export interface Here {
  suggests: boolean;
  code: string;
  message: string;
  setting?: string; // that is the cause
  disabledAs?: string[]; // names of the document's language among the disabled ones, in `hearth/status`
}

// The server's `hearth/status`, as far as it is used.
export interface ServerStatus {
  state: string; // loading, ready, failed
  model?: string;
  message?: string;
  problems?: string[]; // with the settings
  here?: Here;
}

export type Client =
  | { phase: 'starting' }
  | { phase: 'running' }
  | { phase: 'stopped' }
  | { phase: 'failed'; problem: string };

export interface Facts {
  client: Client;
  server?: ServerStatus;
  ban?: Here; // of the document at hand, whatever the server says of it
  indexing?: string; // how far the workspace's index is, while it is made
  warning?: string; // of what does not keep Hearth from working
}

export type Kind = 'starting' | 'warming' | 'indexing' | 'ready' | 'off' | 'warning' | 'error';

export interface Appearance {
  kind: Kind;
  text: string;
  tooltip: string;
  summary: string; // all that there is to say, where the tooltip names one problem
}

// Of the server, whatever may be wrong with the settings besides.
interface State {
  kind: Exclude<Kind, 'warning'>;
  said: string;
  howFar?: string;
}

const ICONS: Record<Kind, string> = {
  starting: '$(loading~spin)',
  warming: '$(loading~spin)',
  indexing: '$(flame)',
  ready: '$(flame)',
  off: '$(circle-slash)',
  warning: '$(warning)',
  error: '$(error)',
};
const WORDS: Record<State['kind'], string> = {
  starting: ' starting',
  warming: ' warming',
  indexing: ' indexing',
  ready: '',
  off: ' off',
  error: ' error',
};

function stateOf({ client, server, ban, indexing }: Facts): State {
  if (client.phase === 'failed') return { kind: 'error', said: client.problem };
  if (client.phase === 'stopped') return { kind: 'error', said: 'The server has stopped. Restart it from the menu.' };
  if (client.phase === 'starting' || server === undefined) return { kind: 'starting', said: 'The server is starting.' };
  if (server.state === 'failed') return { kind: 'error', said: server.message ?? 'The model cannot be used.' };
  const here = ban ?? server.here;
  if (here && !here.suggests && here.code !== 'loading') return { kind: 'off', said: here.message };
  if (server.state === 'loading') return { kind: 'warming', said: 'The model is loading.' };
  const source = `Suggestions come from ${server.model ?? 'the model'}.`;
  if (indexing === undefined) return { kind: 'ready', said: source };
  return { kind: 'indexing', said: `${source} The workspace is being indexed: ${indexing || 'it has begun'}.`, howFar: indexing };
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

export function appearanceOf(facts: Facts): Appearance {
  const { kind, said, howFar } = stateOf(facts);
  const known = [facts.warning ?? [], facts.server?.problems ?? []].flat().map(sentence);
  const problems = facts.client.phase === 'running' ? known : []; // else they are another server's
  const isWarning = kind !== 'error' && problems.length > 0;
  const shown = isWarning ? 'warning' : kind;
  const more = problems.length > 1 ? [`The menu tells ${problems.length - 1} more.`] : [];
  return {
    kind: shown,
    text: `${ICONS[shown]} Hearth${WORDS[kind]}${howFar ? ` ${howFar}` : ''}`,
    tooltip: ['Hearth:', ...(isWarning ? [problems[0], ...more] : []), said].join(' '),
    summary: ['Hearth:', ...(isWarning ? [...problems, said] : [said, ...problems])].join(' '),
  };
}
