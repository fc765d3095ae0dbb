// How far the server is with reading the workspace's folders, from its progress. Pure.

type Token = string | number;

export interface Progress {
  kind: 'begin' | 'report' | 'end';
  message?: string;
  percentage?: number;
}

export class Indexing {
  private readonly folders_ = new Set<Token>(); // each is read with a progress of its own
  private said_ = '';

  // Undefined: it is done; empty: it has begun.
  get howFar(): string | undefined {
    return this.folders_.size === 0 ? undefined : this.said_;
  }

  // Whether it is a progress of this kind.
  progressed(token: Token, { kind, message, percentage }: Progress): boolean {
    if (!String(token).startsWith('hearth/indexing/')) return false;
    if (kind === 'begin') this.folders_.add(token);
    if (kind === 'report') this.said_ = message ?? (percentage === undefined ? this.said_ : `${percentage} %`);
    if (kind === 'end') this.folders_.delete(token);
    if (this.folders_.size === 0) this.said_ = '';
    return true;
  }

  // A server that has died ends nothing.
  forget(): void {
    this.folders_.clear();
    this.said_ = '';
  }
}
