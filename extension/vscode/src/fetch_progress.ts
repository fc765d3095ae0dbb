// The lines of `hearth model fetch --json`, as steps of a progress notification. Pure.

export interface FetchProgress {
  message: string;
  percent: number | undefined; // of the step
}

const STEPS: Record<string, string> = { download: 'downloading', unpack: 'unpacking', merge: 'merging with the adapter' };

export function fetchProgress(line: string): FetchProgress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { step, done, total } = (value ?? {}) as { step?: unknown; done?: unknown; total?: unknown };
  if (typeof step !== 'string' || typeof done !== 'number') return undefined;
  const doing = STEPS[step] ?? step;
  const megabytes = (bytes: number) => Math.floor(bytes / 1_000_000);
  if (typeof total !== 'number' || total <= 0) return { message: `${doing}, ${megabytes(done)} MB`, percent: undefined };
  const percent = Math.min(100, Math.floor((100 * done) / total));
  return { message: `${doing}, ${megabytes(done)} of ${megabytes(total)} MB`, percent };
}
