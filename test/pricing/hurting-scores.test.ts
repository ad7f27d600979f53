// Scores of a game in words.
import { describe, expect, it } from 'vitest';
import { modelFor, scoresText } from '../../src/pricing/index.ts';

const MODEL = modelFor('basketball', { margin: 4.5, total: 225 });

describe('scores in words', () => {
  const all = { from: MODEL.grid.total.from, to: MODEL.grid.total.from + MODEL.grid.total.probabilities.length - 1 };
  const low = MODEL.grid.margin.from;
  const high = low + MODEL.grid.margin.probabilities.length - 1;
  const textOf = (from: number, to: number, total = all): string =>
    scoresText({ margin: { from, to }, total }, MODEL.grid);

  it.each([
    [low, high, 'any score'],
    [low, -1, 'away wins'],
    [low, -4, 'away by 4 or more'],
    [low, 3, 'away wins, or home by 3 at most'],
    [low, 0, 'away wins or level'],
    [1, high, 'home wins'],
    [7, high, 'home by 7 or more'],
    [-2, high, 'home wins, or away by 2 at most'],
    [3, 3, 'home by 3'],
    [4, 7, 'home by 4 to 7'],
    [-7, -4, 'away by 4 to 7'],
    [-2, 3, 'from away by 2 to home by 3'],
  ])('%d to %d: %s', (from, to, text) => {
    expect(textOf(from, to)).toBe(text);
  });

  it('names a total that counts', () => {
    expect(textOf(low, -1, { from: all.from, to: 221 })).toBe('away wins, 221 or fewer');
    expect(textOf(low, high, { from: 222, to: all.to })).toBe('222 or more');
    expect(textOf(4, 7, { from: 219, to: 219 })).toBe('home by 4 to 7, 219');
  });
});
