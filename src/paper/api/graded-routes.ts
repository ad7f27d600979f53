// Graded bets in the second form of the family: by days, and from a cursor in order of settlement. Both have
// their own request limits (wire profile, "The family, second reading").
import { dollarsOfMicros, parseTime, ZERO } from '../../domain/index.ts';
import { readNumber, readText } from '../../wire/index.ts';
import type { Json } from '../../wire/index.ts';
import type { VenueAccount, MatchedPlay } from '../../venue/index.ts';
import { rateLimited, refuse, SlidingWindow } from '../../venue/index.ts';
import { gradedPlayJson } from './record-json.ts';
import type { Answer, Call, Route } from './route.ts';
import { READ } from './route.ts';

const DAY_MS = 24 * 3_600_000;
const MOST_DAYS = 35;
const LIMITS = {
  getGraded: { requests: 60, windowMs: 60_000 },
  getGradedSince: { requests: 10, windowMs: 5000 },
} as const;
const ROWS = { usually: 100, most: 1000 };

export function gradedRoutes(): readonly Route[] {
  const limited = (name: keyof typeof LIMITS, answer: (call: Call) => Answer): Route => {
    const windows = new WeakMap<VenueAccount, SlidingWindow>();
    const { requests, windowMs } = LIMITS[name];
    return {
      methods: READ,
      paths: [`/user/v2/${name}`],
      kind: 'read',
      handle: (call) => {
        const window = windows.get(call.account) ?? new SlidingWindow(requests, windowMs);
        windows.set(call.account, window);
        const waitMs = window.arrive(call.nowMs);
        return waitMs === undefined ? answer(call) : rateLimited('graded', waitMs);
      },
    };
  };
  return [limited('getGraded', byDays), limited('getGradedSince', since)];
}

/** Graded bets by day, both days included; at most 35 days. */
function byDays({ account, params }: Call): Answer {
  const [first, last] = [dayOf(params['startDate']), dayOf(params['endDate'])];
  if (first === undefined || last === undefined)
    return refuse(400, '"startDate" and "endDate" must be days as YYYY-MM-DD');
  if (last < first) return refuse(400, '"endDate" is before "startDate"');
  if (last - first >= MOST_DAYS * DAY_MS) return refuse(400, `At most ${MOST_DAYS} days can be requested`);
  const rows = settledOf(account).filter(({ atMs }) => atMs >= first && atMs < last + DAY_MS);
  return { data: { graded: rows.map(({ play }) => rowOf(play)) } };
}

/** Bets settled after the cursor of an earlier answer. Without a cursor it starts with the first bet. */
function since({ account, params }: Call): Answer {
  const cursor = readText(params['cursor']);
  const limit = readNumber(params['limit']) ?? ROWS.usually;
  if (!Number.isInteger(limit) || limit < 1 || limit > ROWS.most)
    return refuse(400, `"limit" must be a whole number from 1 to ${ROWS.most}`);
  const settled = settledOf(account);
  const after = cursor === undefined ? undefined : /^(\d{1,15}(?:\.\d{1,20})?)-(.+)$/s.exec(cursor);
  if (after === null) return refuse(400, `"cursor" is none of an earlier answer`);
  // a cursor is a position, not a play: the play may have been forgotten, or settled again by a later result
  const [, afterMs, afterTx = ''] = after ?? [];
  const behind =
    afterMs === undefined
      ? settled
      : settled.filter(({ play, atMs }) => atMs > Number(afterMs) || (atMs === Number(afterMs) && play.txId > afterTx));
  const rows = behind.slice(0, limit);
  const last = rows.at(-1);
  return {
    data: {
      graded: rows.map(({ play }) => rowOf(play)),
      cursor: last === undefined ? (cursor ?? null) : cursorOf(last),
      hasMore: rows.length < behind.length,
    },
  };
}

type Settled = { readonly play: MatchedPlay; readonly atMs: number };

/** The account's settled plays in the order of settlement; those of one game by txID. */
const settledOf = ({ plays }: VenueAccount): readonly Settled[] =>
  [...plays.values()]
    .flatMap((play): readonly Settled[] => {
      const atMs = play.order.book.game.gradedAtMs;
      return play.profit === undefined || atMs === undefined ? [] : [{ play, atMs }];
    })
    .sort((a, b) => a.atMs - b.atMs || (a.play.txId < b.play.txId ? -1 : 1));

const cursorOf = ({ play, atMs }: Settled): string => `${atMs}-${play.txId}`;

const rowOf = (play: MatchedPlay): Json => ({ ...gradedPlayJson(play), outcome: outcomeOf(play) });

function outcomeOf({ profit = ZERO, risk, win }: MatchedPlay): string {
  // a half result pays or costs half the stake; a dead heat another part of it
  if (profit === 0) return 'refunded';
  if (profit > 0) return dollarsOfMicros(profit) === dollarsOfMicros(win) ? 'won' : 'half-win';
  return dollarsOfMicros(profit) === -dollarsOfMicros(risk) ? 'lost' : 'half-loss';
}

const dayOf = (value: unknown): number | undefined => {
  const text = readText(value) ?? '';
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTime(text) : undefined;
};
