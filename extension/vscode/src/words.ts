// What "the next word" of a suggestion is where the editor's own word patterns see one long word: in scripts that
// put no blanks between words. Pure.

const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}ー々]+/u;

// The blanks before it and the first word, where that is of such a script; undefined where the editor knows better.
export function nextUnspacedWord(text: string): string | undefined {
  const blanks = /^[ \t\u3000]*/.exec(text)?.[0] ?? '';
  const run = UNSPACED.exec(text.slice(blanks.length))?.[0];
  if (run === undefined) return undefined;
  const [first] = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(run);
  return blanks + (first?.segment ?? run);
}

// What is left of a suggestion of which `typed` stands in the document already; undefined when it does not fit.
export function restOf(suggestion: string, typed: string): string | undefined {
  return suggestion.startsWith(typed) && suggestion.length > typed.length ? suggestion.slice(typed.length) : undefined;
}
