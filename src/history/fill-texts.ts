// What the words of a fill mean: its market, its side, its odds, its result.
import type { MarketType, Period } from '../domain/index.ts';
import { periodOf } from '../domain/index.ts';
import { readMarketKey, wordsOf } from '../signals/index.ts';

const TYPES: readonly (readonly [named: RegExp, type: MarketType])[] = [
  [
    /^(?:ml|money ?line|h2h|head to head|match (?:odds|winner|result)|winner|to win|1x2|full ?time result|result|win)$/,
    'moneyline',
  ],
  [/^(?:spreads?|point spread|handicap|(?:asian|game|match) handicap|ah|ats|run ?line|puck ?line|hdp|hcp)$/, 'spread'],
  [/^(?:totals?|over under|o u|ou|(?:total|match|game) (?:points|goals|runs|games)|goals|points|over|under)$/, 'total'],
];

/** A type of market and the period in its text. Undefined: another kind of bet. */
export function marketIn(text: string): { readonly type: MarketType; readonly period: Period } | undefined {
  const key = readMarketKey(text.trim().toLowerCase());
  if (key !== undefined) return { type: key.type, period: key.period };
  const plain = wordsOf(text);
  const typeOf = (words: string): MarketType | undefined => TYPES.find(([named]) => named.test(words))?.[1];
  const whole = typeOf(plain);
  if (whole !== undefined) return { type: whole, period: 'full' };
  const words = plain.split(' ');
  // a period of up to three words, as in `first 5 innings moneyline`
  for (const length of [3, 2, 1])
    for (let from = 0; from + length <= words.length; from++) {
      const period = periodOf(words.slice(from, from + length).join(' '));
      const type = typeOf(words.toSpliced(from, length).join(' '));
      if (period !== undefined && type !== undefined) return { type, period };
    }
  return undefined;
}

/** Names of bets on more than one outcome. */
const COMBINED =
  /\b(?:parlays?|multi|multiple|accumulator|acca|sgp|same game|teasers?|round robin|combo|double|treble)\b/;
export const isCombined = (text: string): boolean => COMBINED.test(wordsOf(text));

/** The side of a bet, as far as its text shows it. `team`: a name that has to be found in the event. */
export type SideText = {
  readonly side: 'home' | 'away' | 'over' | 'under' | 'draw' | { readonly team: string };
  /** The line in the text, of the backed side. */
  readonly line: number | undefined;
};

const WORDS: Readonly<Record<string, SideText['side']>> = {
  ...{ home: 'home', h: 'home', '1': 'home', away: 'away', a: 'away', '2': 'away' },
  ...{ over: 'over', o: 'over', under: 'under', u: 'under', draw: 'draw', x: 'draw', tie: 'draw', 'the draw': 'draw' },
};

/** Reads `home`, `Over 224.5`, `Lakers -3.5`, `Lakers ML`. */
export function sideIn(text: string): SideText {
  const bare = text
    .trim()
    .replace(/[−–]/g, '-')
    .replace(/[½]/g, '.5')
    // odds behind the side
    .replace(/\s*[@(]\s*[-+]?\d[\d.,]*\)?$/, '')
    .replace(/\s+(?:ML|moneyline|pk|pick)$/i, '');
  const [, name = bare, number] = /^(.*?[^\s\d+-])\s*\(?([-+]?\d+(?:[.,]\d+)?)\)?$/.exec(bare) ?? [];
  const known = WORDS[wordsOf(name)];
  const line = number === undefined ? undefined : Number(number.replace(',', '.'));
  // a number without a sign is part of a name, as in `76ers` or `Schalke 04`
  const isLine = line !== undefined && (/^[-+]/.test(number ?? '') || known === 'over' || known === 'under');
  if (known !== undefined) return { side: known, line: isLine ? line : undefined };
  const whole = WORDS[wordsOf(bare)];
  if (whole !== undefined) return { side: whole, line: undefined };
  return { side: { team: isLine ? name : bare }, line: isLine ? line : undefined };
}

/**
 * The part of the stake that a result wins, −1 … 1; `open` when there is none yet, `paid` when only the profit says it.
 * Undefined: not known.
 */
export function resultIn(text: string): number | 'open' | 'paid' | undefined {
  const plain = wordsOf(text);
  const share = RESULTS.find(([named]) => named.test(plain))?.[1];
  if (share !== undefined) return share;
  if (/^(?:settled|graded|closed|completed?|resulted|cash(?:ed)? out)$/.test(plain)) return 'paid';
  return /^(?:|open|pending|unsettled|not settled|live|active|running|null|none|na|n a)$/.test(plain)
    ? 'open'
    : undefined;
}

const RESULTS: readonly (readonly [named: RegExp, share: number])[] = [
  [/^(?:hw|half won|half win|won half|win half|half w)$/, 0.5],
  [/^(?:hl|half lost|half loss|half lose|lost half|half l)$/, -0.5],
  [/^(?:w|won|win|winner|wins)$/, 1],
  [/^(?:l|lost|loss|lose|loser)$/, -1],
  [/^(?:p|push|pushed)$/, 0],
  [/^(?:v|void|voided|cancell?ed|refunded?|returned|no action|abandoned)$/, 0],
];
