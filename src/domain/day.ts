// The day of `risk.maxDailyLoss` (rules.md, 14): it begins at a fixed time of day, and its result is counted
// over all runs of the account. The boot input brings what former runs know of it.
import type { GameId, TxId } from './brand.ts';
import type { Market, MarketId } from './market.ts';
import type { Micros } from './money.ts';
import type { Fill } from './order.ts';
import type { FinalScore, GameResult } from './game-result.ts';
import type { Position } from './position.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The latest beginning of a day at or before `t`, Unix ms. `startsAtMs`: the beginning of days, ms after
 * midnight UTC.
 */
export const dayStartOf = (t: number, startsAtMs: number): number =>
  Math.floor((t - startsAtMs) / DAY_MS) * DAY_MS + startsAtMs;

const TIME_OF_DAY =
  /^(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d))?(?:Z|(?<sign>[+-])(?<offHours>[01]\d):(?<offMinutes>[0-5]\d))$/;

/**
 * The time of day as ms after midnight UTC, from text such as 08:00Z, 03:30:15Z or 09:00+02:00; undefined
 * when the text is none.
 */
export function parseTimeOfDay(text: string): number | undefined {
  const groups = TIME_OF_DAY.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const group = (name: string): number => Number(groups[name] ?? 0);
  const offset = (groups['sign'] === '-' ? -1 : 1) * (group('offHours') * 60 + group('offMinutes'));
  const ms = ((group('hours') * 60 + group('minutes') - offset) * 60 + group('seconds')) * 1000;
  return (ms + DAY_MS) % DAY_MS;
}

/** A fill of a former run whose game was not graded as far as that run knew. */
export type FormerPlay = Pick<Fill, 'txId' | 'market' | 'side' | 'risk' | 'win' | 'ref'>;

/** One market at the base of a day: the position held then, and its price when there was one. */
export type DayBaseEntry = {
  readonly market: Market;
  readonly position: Position;
  /**
   * The probability of the first side. Undefined while it is not known: the position then counts at its
   * worst.
   */
  readonly price: number | undefined;
};

/** The positions held when a day begins, or at the first start after it. */
export type DayBase = {
  readonly entries: readonly DayBaseEntry[];
  /** Stakes in games that were unknown then. */
  readonly elsewhere: readonly { readonly txId: TxId; readonly gameId: GameId; readonly risk: Micros }[];
};

/** A fill that an operator settled, with the result given. Nothing was booked for a fill without a market. */
export type SettledByHand = {
  readonly txId: TxId;
  /** The profit after commission. */
  readonly profit: Micros;
  /** The profit before commission; absent in records of former versions. */
  readonly brought?: Micros;
  readonly day: number;
  readonly settled?: {
    readonly play: FormerPlay;
    readonly result?: GameResult;
    /** The score in journals of versions before 0.3, which have no `result`. */
    readonly score?: FinalScore;
  };
};

/** The ledger's knowledge of the day at the start of a run. */
export type DayAtBoot = {
  /** The start of the day that these figures belong to, Unix ms. */
  readonly startsAt: number;
  /** The result in former runs of games graded since the base of that day. */
  readonly settled: Micros;
  /** Undefined when no run of that day has read the account yet. */
  readonly base?: DayBase;
  readonly plays: readonly FormerPlay[];
  /**
   * The settled net result of markets in `plays` and `settledByHand`: commission on a market depends on all
   * of it. Absent in records of former versions.
   */
  readonly nets?: readonly { readonly market: MarketId; readonly net: Micros }[];
  /**
   * Recent settlements by an operator: the exchange may still list these fills, and then they are held again.
   */
  readonly settledByHand: readonly SettledByHand[];
  /** The last valid consensus of each held market. */
  readonly prices: readonly { readonly market: MarketId; readonly price: number }[];
};
