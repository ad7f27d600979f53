// Suggestions for an unknown word.
import { plainName } from './plain-name.ts';

/**
 * The known words within a few slips, the nearest first. A slip is a letter too many, too few, wrong, or
 * swapped with the next.
 */
export function similarTo(word: string, known: readonly string[]): readonly string[] {
  const asked = plainName(word);
  return known
    .map((candidate) => ({ candidate, slips: slipsBetween(asked, plainName(candidate)) }))
    .filter(({ candidate, slips }) => slips <= Math.max(1, Math.floor(Math.min(candidate.length, word.length) / 3)))
    .sort((a, b) => a.slips - b.slips)
    .map(({ candidate }) => candidate);
}

/** A suggestion for messages, `; did you mean x?`; empty when no word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [first] = similarTo(word, known);
  return first === undefined ? '' : `; did you mean ${first}?`;
}

/** The number of slips between two words: optimal string alignment. */
export function slipsBetween(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_none, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let slips = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        slips = Math.min(slips, (before[j - 2] ?? 0) + 1);
      next.push(slips);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
