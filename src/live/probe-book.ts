// What a book that an exchange sent tells of the settings of the wire profile: pure, from its JSON.
import { crosses, oppositeSide } from '../domain/index.ts';
import type { BookLadder, LeagueBook } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { bookPerspectiveOf, isRecord, listOf, parseLeagueReply, readNumber, recordOf } from '../wire/index.ts';

export type Verdict = 'holds' | 'differs' | 'open';
export type Finding = {
  /** As `exchange.profile` has it. */
  readonly setting: string;
  readonly value: unknown;
  readonly answered: string;
  /** `open`: the answer does not tell. */
  readonly verdict: Verdict;
};

type Raw = Readonly<Record<string, unknown>>;

/** Of a page of a league, as it came. */
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

/** Offers, wherever they stand. */
function* rowsIn(value: unknown): Iterable<Raw> {
  if (Array.isArray(value)) for (const one of value as readonly unknown[]) yield* rowsIn(one);
  else if (isRecord(value)) {
    if ('odds' in value && 'id' in value) yield value;
    else for (const inner of Object.values(value)) if (typeof inner === 'object') yield* rowsIn(inner);
  }
}

const gamesIn = (body: unknown): readonly Raw[] => {
  const data = recordOf(recordOf(body)?.['data']);
  return (listOf(data?.['games']) ?? []).filter(isRecord);
};

/** In the right view nobody could take an offer of one side with one of the other, and gain without risk. */
function perspective(body: unknown, profile: WireProfile): Finding {
  const crossed = (view: 'offerer' | 'taker'): { readonly pairs: number; readonly crossed: number } => {
    const read = parseLeagueReply(body, bookPerspectiveOf({ bookPerspective: view }));
    return read.ok ? crossedIn(read.value) : { pairs: 0, crossed: 0 };
  };
  const [offerer, taker] = [crossed('offerer'), crossed('taker')];
  const told = `${offerer.crossed} of ${offerer.pairs} markets cross as the offerer's view, ${taker.crossed} of ${taker.pairs} as the taker's`;
  const better = offerer.crossed === taker.crossed ? undefined : offerer.crossed < taker.crossed ? 'offerer' : 'taker';
  const { bookPerspective } = profile;
  const verdict =
    better === undefined || typeof bookPerspective !== 'string'
      ? 'open'
      : better === bookPerspective
        ? 'holds'
        : 'differs';
  return { setting: 'bookPerspective', value: bookPerspective, answered: told, verdict };
}

function crossedIn({ games }: LeagueBook): { readonly pairs: number; readonly crossed: number } {
  let pairs = 0;
  let count = 0;
  for (const { ladders } of games)
    for (const one of ladders) {
      if (one.side !== 'home' && one.side !== 'over') continue;
      const other = ladders.find((ladder) => isAcross(one, ladder));
      const [a, b] = [one.offers[0], other?.offers[0]];
      if (a === undefined || b === undefined) continue;
      pairs += 1;
      count += Number(crosses(a.rung, b.rung));
    }
  return { pairs, crossed: count };
}

const isAcross = (one: BookLadder, other: BookLadder): boolean =>
  other.type === one.type &&
  other.side === oppositeSide(one.side) &&
  (one.type === 'spread' ? (other.line ?? 0) === 0 - (one.line ?? 0) : other.line === one.line);

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
  const told = rows.filter(({ gameStartExpiry }) => typeof gameStartExpiry === 'boolean');
  const ending = told.filter(({ gameStartExpiry }) => gameStartExpiry === true).length;
  return {
    setting: 'endsAtStart',
    value,
    answered:
      told.length === 0
        ? 'no row tells whether it ends at the start of its game'
        : `${ending} of ${told.length} rows end at the start of their game`,
    verdict:
      told.length === 0 || (ending > 0 && ending < told.length) ? 'open' : ending > 0 === value ? 'holds' : 'differs',
  };
}

function step(rows: readonly Raw[], { oddsStep }: WireProfile): Finding {
  const odds = rows.flatMap(({ odds: told }) => readNumber(told) ?? []);
  const off = odds.filter((one) => Math.abs(one / oddsStep - Math.round(one / oddsStep)) > 1e-6);
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
    // others may have other bounds
    answered: all.length === 0 ? 'no order is shown' : `others have orders of $${least} to $${most}`,
    verdict: 'open',
  };
}

function page(body: unknown, { pageSize }: WireProfile): Finding {
  const data = recordOf(recordOf(body)?.['data']);
  const games = gamesIn(body).length;
  const more = recordOf(data?.['pagination'])?.['hasNextPage'] === true;
  return {
    setting: 'pageSize',
    value: pageSize,
    answered: `${games} games on the first page, ${more ? 'and more follow' : 'and no more'}`,
    verdict: games > pageSize ? 'differs' : more && games < pageSize ? 'differs' : 'open',
  };
}
