// Reads what a strategy emitted: a plain copy of an intent, or what is wrong with it, for its author.
import type { Market, MarketId, Quote, QuoteIntent, Regime, Side } from '../../domain/index.ts';
import { REGIMES } from '../../domain/index.ts';

const MAX_QUOTES = 100;

/** A plain copy of an emitted intent, or a message for its author that says what is wrong. */
export function readIntent(value: unknown, markets: ReadonlyMap<MarketId, Market>): QuoteIntent | string {
  if (typeof value !== 'object' || value === null) return 'the emission is not an intent';
  if (value instanceof Promise) return 'the emission is a promise, and strategies are synchronous';
  const { market, quotes, reason, fair, regime } = value as Readonly<Record<keyof QuoteIntent, unknown>>;
  const known = markets.get(market as MarketId);
  if (known === undefined) return `intent.market ${shown(market)} is not a market of this instance`;
  if (!Array.isArray(quotes)) return 'intent.quotes is not an array';
  if (quotes.length > MAX_QUOTES) return `intent.quotes has more than ${MAX_QUOTES} quotes`;
  // read into a copy of the same length: a list that grows has room for 17 more
  const read = [...(quotes as readonly Quote[])];
  for (let index = 0; index < read.length; index++) {
    const quote = readQuote(read[index], known);
    if (typeof quote === 'string') return quote;
    const { side, key } = quote;
    if (key !== undefined && hasKey(read, index, side, key))
      return `two quotes on ${side} have the key ${shown(key)}: a key names one`;
    read[index] = quote;
  }
  const intent: QuoteIntent =
    typeof reason === 'string'
      ? { market: known.id, quotes: read, reason: oneLine(reason) }
      : { market: known.id, quotes: read };
  if (regime !== undefined && !(REGIMES as readonly unknown[]).includes(regime))
    return `intent.regime ${shown(regime)} is none of ${REGIMES.join(', ')}`;
  if (fair !== undefined && (typeof fair !== 'number' || !(fair > 0 && fair < 1)))
    return `intent.fair ${shown(fair)} is not a probability between 0 and 1`;
  if (fair === undefined && regime === undefined) return intent;
  return {
    ...intent,
    ...(fair === undefined ? {} : { fair }),
    ...(regime === undefined ? {} : { regime: regime as Regime }),
  };
}

/** Whether one of the first quotes has this side and key. */
function hasKey(quotes: readonly Quote[], first: number, side: Side, key: string): boolean {
  for (let index = 0; index < first; index++) {
    const quote = quotes[index];
    if (quote?.side === side && quote.key === key) return true;
  }
  return false;
}

/** Longer texts of strategies are cut. */
export const LONGEST_REASON = 200;
/** A reason as one line of at most 200 characters: it must not break a log line or fill a disk. */
function oneLine(text: string): string {
  const shown = text.length > LONGEST_REASON ? text.slice(0, LONGEST_REASON) : text;
  return PRINTABLE.test(shown) ? shown : shown.replace(/\p{Cc}+/gu, ' ');
}
const PRINTABLE = /^[ -~]*$/;

function readQuote(value: unknown, market: Market): Quote | string {
  if (typeof value !== 'object' || value === null) return 'a quote is not an object';
  const { side, risk, key, odds, probability } = value as Readonly<Record<string, unknown>>;
  if (!market.sides.includes(side as Side)) return `quote.side ${shown(side)} is not a side of ${market.id}`;
  if (!Number.isInteger(risk)) return `quote.risk ${shown(risk)} is not integer cents`;
  if (key !== undefined && (typeof key !== 'string' || !/^[\w-]{1,16}$/.test(key))) {
    return `quote.key ${shown(key)} is not 1 to 16 letters, digits, _ or -`;
  }
  const both = odds !== undefined && probability !== undefined;
  if (both || !Number.isFinite(odds ?? probability)) {
    const received = both ? 'both' : shown(odds ?? probability);
    return `a quote needs either odds or a probability, as a finite number, not ${received}`;
  }
  if (odds !== undefined && Math.abs(odds as number) < 100)
    return `quote.odds ${shown(odds)} are not American odds: ±100 and beyond`;
  if (probability !== undefined && ((probability as number) > 1 || (probability as number) < -1))
    return `quote.probability ${shown(probability)} is not between 0 and 1${Math.abs(probability as number) <= 100 ? ': a percentage?' : ': odds?'}`;
  if (key !== undefined)
    return (odds === undefined ? { side, risk, key, probability } : { side, risk, key, odds }) as Quote;
  return (odds === undefined ? { side, risk, probability } : { side, risk, odds }) as Quote;
}

/** A value as text for messages. Never throws, whatever a strategy emitted. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? String(value) : `(${typeof value})`;
}
