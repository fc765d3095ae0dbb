// What the status item says, from what is known. Pure.

export interface Here {
  suggests: boolean;
  code: string;
  message: string;
}

// The server's `hearth/status`, as far as it is used.
export interface ServerStatus {
  state: string; // loading, ready, failed
  model?: string;
  message?: string;
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
  indexing?: string; // how far the workspace's index is, while it is made
  warning?: string; // of what does not keep Hearth from working
}

export type Kind = 'starting' | 'warming' | 'indexing' | 'ready' | 'off' | 'error';

export interface Appearance {
  kind: Kind;
  text: string;
  tooltip: string;
}

const ICONS: Record<Kind, string> = {
  starting: '$(loading~spin)',
  warming: '$(loading~spin)',
  indexing: '$(flame)',
  ready: '$(flame)',
  off: '$(circle-slash)',
  error: '$(error)',
};
const WORDS: Record<Kind, string> = {
  starting: ' starting',
  warming: ' warming',
  indexing: ' indexing',
  ready: '',
  off: ' off',
  error: ' error',
};

function appearance(kind: Kind, tooltip: string): Appearance {
  return { kind, text: `${ICONS[kind]} Hearth${WORDS[kind]}`, tooltip: `Hearth: ${tooltip}` };
}

export function appearanceOf({ client, server, indexing, warning }: Facts): Appearance {
  if (client.phase === 'failed') return appearance('error', client.problem);
  if (client.phase === 'stopped') return appearance('error', 'The server has stopped. Restart it from the menu.');
  if (client.phase === 'starting' || server === undefined) return appearance('starting', 'The server is starting.');
  if (server.state === 'failed') return appearance('error', server.message ?? 'The model cannot be used.');
  if (warning !== undefined) return appearance('error', warning);
  if (server.here && !server.here.suggests && server.here.code !== 'loading') return appearance('off', server.here.message);
  if (server.state === 'loading') return appearance('warming', 'The model is loading.');
  const source = `Suggestions come from ${server.model ?? 'the model'}.`;
  if (indexing === undefined) return appearance('ready', source);
  const { text, ...rest } = appearance('indexing', `${source} The workspace is being indexed: ${indexing || 'it has begun'}.`);
  return { ...rest, text: indexing ? `${text} ${indexing}` : text };
}
