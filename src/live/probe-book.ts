// Checks settings of the wire profile against the JSON of a book that an exchange sent. Pure.
import { crosses, oppositeSide } from '../domain/index.ts';
import type { BookLadder, LeagueBook } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { bookPerspectiveOf, isRecord, listOf, parseLeagueReply, readNumber, recordOf } from '../wire/index.ts';

export type Verdict = 'holds' | 'differs' | 'open';
export type Finding = {
  /** Key of `exchange.profile`. */
  readonly setting: string;
  readonly value: unknown;
  readonly answered: string;
  /** `open` when the answer does not show it. */
  readonly verdict: Verdict;
};

type Raw = Readonly<Record<string, unknown>>;

/** Findings from a page of a league, given as received. */
export function bookFindings(body: unknown, profile: WireProfile): readonly Finding[] {
  const rows = [...rowsIn(body)];
  return [
    perspective(body, profile),
    shape(body, rows, profile),
    field(rows, profile),
    endsAtStart(rows, profile),
    step(rows, profile),
    sizes(rows, profile),
    page(body, profile),
  ];
}

/** All offers in the JSON, at any depth. */
function* rowsIn(value: unknown): Iterable<Raw> {
  if (Array.isArray(value)) for (const element of value as readonly unknown[]) yield* rowsIn(element);
  else if (isRecord(value)) {
    if ('odds' in value && 'id' in value) yield value;
    else for (const inner of Object.values(value)) if (typeof inner === 'object') yield* rowsIn(inner);
  }
}

const gamesIn = (body: unknown): readonly Raw[] => {
  const data = recordOf(recordOf(body)?.['data']);
  return (listOf(data?.['games']) ?? []).filter(isRecord);
};

/**
 * Checks the perspective of prices: in the right one, offers of opposite sides do not cross (no arbitrage).
 */
function perspective(body: unknown, profile: WireProfile): Finding {
  const crossed = (view: 'offerer' | 'taker'): { readonly pairs: number; readonly crossed: number } => {
    const read = parseLeagueReply(body, bookPerspectiveOf({ bookPerspective: view }));
    return read.ok ? crossedIn(read.value) : { pairs: 0, crossed: 0 };
  };
  const [offerer, taker] = [crossed('offerer'), crossed('taker')];
  const crossings = `${offerer.crossed} of ${offerer.pairs} markets cross as the offerer's view, ${taker.crossed} of ${taker.pairs} as the taker's`;
  const better = offerer.crossed === taker.crossed ? undefined : offerer.crossed < taker.crossed ? 'offerer' : 'taker';
  const { bookPerspective } = profile;
  const verdict =
    better === undefined || typeof bookPerspective !== 'string'
      ? 'open'
      : better === bookPerspective
        ? 'holds'
        : 'differs';
  return { setting: 'bookPerspective', value: bookPerspective, answered: crossings, verdict };
}

function crossedIn({ games }: LeagueBook): { readonly pairs: number; readonly crossed: number } {
  let pairs = 0;
  let count = 0;
  for (const { ladders } of games)
    for (const first of ladders) {
      if (first.side !== 'home' && first.side !== 'over') continue;
      const other = ladders.find((ladder) => isAcross(first, ladder));
      const [a, b] = [first.offers[0], other?.offers[0]];
      if (a === undefined || b === undefined) continue;
      pairs += 1;
      count += Number(crosses(a.rung, b.rung));
    }
  return { pairs, crossed: count };
}

const isAcross = (first: BookLadder, other: BookLadder): boolean =>
  other.type === first.type &&
  other.side === oppositeSide(first.side) &&
  (first.type === 'spread' ? (other.line ?? 0) === 0 - (first.line ?? 0) : other.line === first.line);

function shape(body: unknown, rows: readonly Raw[], { bookShape }: WireProfile): Finding {
  const lines = gamesIn(body).flatMap(({ mainHomeSpread, mainTotal }) => [mainHomeSpread, mainTotal]);
  const text = lines.filter((line) => typeof line === 'string').length;
  const numbers = lines.filter((line) => typeof line === 'number').length;
  const ratios = rows.filter(({ takenRatio }) => typeof takenRatio === 'number').length;
  const answered = `main lines: ${numbers} numbers, ${text} texts; takenRatio on ${ratios} of ${rows.length} rows; both shapes are read`;
  return { setting: 'bookShape', value: bookShape, answered, verdict: 'open' };
}

function field(rows: readonly Raw[], { riskField }: WireProfile): Finding {
  const count = (name: string): number => rows.filter((row) => name in row).length;
  const [risk, bet] = [count('risk'), count('bet')];
  const shown = risk > 0 && bet === 0 ? 'risk' : bet > 0 && risk === 0 ? 'bet' : undefined;
  return {
    setting: 'riskField',
    value: riskField,
    answered: `rows name their size risk ${risk} times, bet ${bet} times; both are read, one is written`,
    verdict: shown === undefined ? 'open' : shown === riskField ? 'holds' : 'differs',
  };
}

function endsAtStart(rows: readonly Raw[], { endsAtStart: value }: WireProfile): Finding {
  const stated = rows.filter(({ gameStartExpiry }) => typeof gameStartExpiry === 'boolean');
  const ending = stated.filter(({ gameStartExpiry }) => gameStartExpiry === true).length;
  return {
    setting: 'endsAtStart',
    value,
    answered:
      stated.length === 0
        ? 'no row shows whether it ends at the start of its game'
        : `${ending} of ${stated.length} rows end at the start of their game`,
    verdict:
      stated.length === 0 || (ending > 0 && ending < stated.length)
        ? 'open'
        : ending > 0 === value
          ? 'holds'
          : 'differs',
  };
}

function step(rows: readonly Raw[], { oddsStep }: WireProfile): Finding {
  const odds = rows.flatMap(({ odds: price }) => readNumber(price) ?? []);
  const off = odds.filter((price) => Math.abs(price / oddsStep - Math.round(price / oddsStep)) > 1e-6);
  return {
    setting: 'oddsStep',
    value: oddsStep,
    answered:
      off.length === 0
        ? `all ${odds.length} prices are multiples of it`
        : `${off.length} of ${odds.length} prices lie between, such as ${off[0]}: others may have a finer one`,
    verdict: odds.length === 0 || off.length > 0 ? 'open' : 'holds',
  };
}

function sizes(rows: readonly Raw[], { minOrderSize, maxOrderSize }: WireProfile): Finding {
  const all = rows.flatMap((row) => readNumber(row['risk'] ?? row['bet']) ?? []);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return {
    setting: 'minOrderSize, maxOrderSize',
    value: [minOrderSize, maxOrderSize],
    // the bounds of other accounts may differ
    answered: all.length === 0 ? 'no order is shown' : `others have orders of $${least} to $${most}`,
    verdict: 'open',
  };
}

function page(body: unknown, { pageSize }: WireProfile): Finding {
  const data = recordOf(recordOf(body)?.['data']);
  const games = gamesIn(body).length;
  const hasNextPage = recordOf(data?.['pagination'])?.['hasNextPage'] === true;
  return {
    setting: 'pageSize',
    value: pageSize,
    answered: `${games} games on the first page, ${hasNextPage ? 'and more follow' : 'and no more'}`,
    verdict: games > pageSize ? 'differs' : hasNextPage && games < pageSize ? 'differs' : 'open',
  };
}
