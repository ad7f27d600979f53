// What a vendor's name of a market says: its type, its period, and whether it has several lines. Names that
// are not listed here are other bets (players, exchanges, corners), and are skipped.
import type { MarketType, Period } from '../domain/index.ts';
import { PERIODS } from '../domain/index.ts';
import type { OddsMarket } from './odds-event.ts';

const TYPES: Readonly<Record<string, MarketType>> = { h2h: 'moneyline', spreads: 'spread', totals: 'total' };
const KEY = /^(?<alternate>alternate_)?(?<type>h2h|spreads|totals)(?<draw>_3_way)?(?:_(?<period>\w+))?$/;
/** The vendors' names of innings. */
const INNINGS: Readonly<Record<string, Period>> = { '1st_1_innings': 'i1', '1st_5_innings': 'f5' };
const PARTS: ReadonlySet<string> = new Set(PERIODS.filter((period) => /^[hqp]\d$/.test(period)));

export type MarketKey = Pick<OddsMarket, 'type' | 'period' | 'isAlternate'>;

/** Undefined for a market of another kind. */
export function readMarketKey(key: string): MarketKey | undefined {
  const { alternate, type = '', draw, period: named } = KEY.exec(key)?.groups ?? {};
  const known = TYPES[type];
  const period = named === undefined ? 'full' : (INNINGS[named] ?? (PARTS.has(named) ? (named as Period) : undefined));
  if (known === undefined || period === undefined) return undefined;
  return { type: known, period, isAlternate: alternate !== undefined || draw !== undefined };
}
