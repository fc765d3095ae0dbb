// What a key asked for, until the editor asks the provider about that very place: it may ask about no place at all, and
// what it asks later, elsewhere, is another matter. Pure.

export type Extent = 'line' | 'block';

export interface Place {
  uri: string;
  version: number; // of the document
  line: number;
  character: number;
}

function isSame(a: Place, b: Place): boolean {
  return a.uri === b.uri && a.version === b.version && a.line === b.line && a.character === b.character;
}

export class Wish {
  private now_: { extent: Extent; place: Place } | undefined;

  // `ask` makes the editor ask, and ends when that is over.
  async during(extent: Extent, place: Place, ask: () => PromiseLike<unknown>): Promise<void> {
    const made = { extent, place };
    this.now_ = made;
    try {
      await ask();
    } finally {
      if (this.now_ === made) this.now_ = undefined;
    }
  }

  // Once for each wish.
  take(place: Place): Extent | undefined {
    if (!this.now_ || !isSame(this.now_.place, place)) return undefined;
    const { extent } = this.now_;
    this.now_ = undefined;
    return extent;
  }
}
