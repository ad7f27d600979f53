// The day of `risk.maxDailyLoss` (rules.md, 14): it begins at one time of day, and what it brought is counted over all
// runs of the account. What former runs know of it comes with the boot input.
import type { GameId, TxId } from './brand.ts';
import type { Market, MarketId } from './market.ts';
import type { Micros } from './money.ts';
import type { Fill } from './order.ts';
import type { FinalScore, GameResult } from './game-result.ts';
import type { Position } from './position.ts';

const DAY_MS = 24 * 3_600_000;

/** The newest beginning of a day at or before `t`, Unix ms; days begin this long after midnight UTC. */
export const dayStartOf = (t: number, startsAtMs: number): number =>
  Math.floor((t - startsAtMs) / DAY_MS) * DAY_MS + startsAtMs;

const TIME_OF_DAY =
  /^(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d))?(?:Z|(?<sign>[+-])(?<offHours>[01]\d):(?<offMinutes>[0-5]\d))$/;

/** Milliseconds after midnight UTC of a time such as 08:00Z, 03:30:15Z or 09:00+02:00; undefined when it is none. */
export function parseTimeOfDay(text: string): number | undefined {
  const groups = TIME_OF_DAY.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const of = (name: string): number => Number(groups[name] ?? 0);
  const offset = (groups['sign'] === '-' ? -1 : 1) * (of('offHours') * 60 + of('offMinutes'));
  const ms = ((of('hours') * 60 + of('minutes') - offset) * 60 + of('seconds')) * 1000;
  return (ms + DAY_MS) % DAY_MS;
}

/** A fill of a former run whose game was not graded when that run last knew of it. */
export type FormerPlay = Pick<Fill, 'txId' | 'market' | 'side' | 'risk' | 'win' | 'ref'>;

/** What one market is worth at the base of a day: positions held then, and their price if there ever was one. */
export type DayBaseEntry = {
  readonly market: Market;
  readonly position: Position;
  /** Probability of the first side. Undefined: not known yet, the worst until it is. */
  readonly price: number | undefined;
};

/** What is held when a day begins, or at the first start after it. */
export type DayBase = {
  readonly entries: readonly DayBaseEntry[];
  /** Stakes in games that nobody knew then. */
  readonly elsewhere: readonly { readonly txId: TxId; readonly gameId: GameId; readonly risk: Micros }[];
};

/** A fill that an operator settled, with the score that was given; of one without a market nothing was booked. */
export type SettledByHand = {
  readonly txId: TxId;
  /** After commission. */
  readonly profit: Micros;
  /** Before it; former versions did not tell. */
  readonly brought?: Micros;
  readonly day: number;
  readonly settled?: {
    readonly play: FormerPlay;
    readonly result?: GameResult;
    /** In journals of versions before 0.3, instead of `result`. */
    readonly score?: FinalScore;
  };
};

/** What the ledger knows at the start of a run. */
export type DayAtBoot = {
  /** Unix ms; the day that these figures are of. */
  readonly startsAt: number;
  /** What games graded since the base of that day brought in former runs. */
  readonly settled: Micros;
  /** Undefined: no run of that day has read the account yet. */
  readonly base?: DayBase;
  readonly plays: readonly FormerPlay[];
  /** What is settled of markets of `plays` and `settledByHand`: commission of a market is of all that it brought. Former versions did not tell. */
  readonly nets?: readonly { readonly market: MarketId; readonly net: Micros }[];
  /** Settled by an operator lately: the exchange may still list them, and then they are held again. */
  readonly settledByHand: readonly SettledByHand[];
  /** The last good consensus of markets that are held. */
  readonly prices: readonly { readonly market: MarketId; readonly price: number }[];
};
