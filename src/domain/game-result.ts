// The result of a game, as results files, operators and the operator's port of the paper exchange give it,
// and its effect on each market. Invariants: an absent part settles nothing; a later part completes a result;
// a contradiction, or a result that the sport does not allow, is refused with the name of the part, and never
// resolved by choice.
import { negative } from './money.ts';
import type { GameId } from './brand.ts';
import type { Market, MarketId, MarketType, Side } from './market.ts';
import { MARKET_TYPES, sideIndex } from './market.ts';
import type { Micros } from './money.ts';
import type { Position } from './position.ts';
import { firstSideAt, settledAt } from './position.ts';
import type { KnownSport, SportRule } from './sports.ts';

export type FinalScore = { readonly home: number; readonly away: number };

export type Winner = 'home' | 'away' | 'draw';
export const WINNERS: readonly Winner[] = ['home', 'away', 'draw'];

/** A result of a game, of one market type, or of one market; open when empty. */
export type PartResult = Partial<FinalScore> & {
  readonly winner?: Winner;
  /** True when stakes return. */
  readonly void?: true;
  /** The part of the stake that the first side (home, over) wins, −1 … 1; only for a type or a market. */
  readonly share?: number;
};

/**
 * One value of a results file (docs/reference/results.md). `by`: results by market type or market id, which
 * take precedence.
 */
export type GameResult = PartResult & { readonly by?: Readonly<Record<string, PartResult>> };

/** The end of a market: the share of its first side's stakes that wins (−1 … 1), or both sides lost. */
export type MarketEnd = number | 'both-lose';

const isType = (key: string): key is MarketType => MARKET_TYPES.some((type) => type === key);

/** The score of a part; a shoot-out adds one for its winner. Undefined when a number is missing. */
function scoreIn({ home, away, winner }: PartResult, { shootOut }: SportRule): FinalScore | undefined {
  if (home === undefined || away === undefined) return undefined;
  if (!shootOut || home !== away || winner === undefined || winner === 'draw') return { home, away };
  return { home: home + Number(winner === 'home'), away: away + Number(winner === 'away') };
}

const drawEnd = ({ draw }: SportRule): MarketEnd | undefined =>
  draw === 'push' ? 0 : draw === 'both-lose' ? 'both-lose' : undefined;

/** The lead of home; fewer strokes win where `fewerWins`. */
const leadOf = ({ home, away }: FinalScore, { fewerWins }: SportRule): number =>
  fewerWins ? away - home : home - away;

/**
 * The end of a market by one part. `isOwn`: the part is given for this type or market alone, so its score is
 * of the right kind.
 */
function endBy(market: Market, part: PartResult, rule: SportRule, isOwn: boolean): MarketEnd | undefined {
  const { type } = market;
  if (part.share !== undefined) return part.share;
  if (part.void === true) return 0;
  if (type === 'moneyline' && part.winner !== undefined)
    return part.winner === 'draw' ? drawEnd(rule) : part.winner === 'home' ? 1 : -1;
  const score = scoreIn(part, rule);
  // the two numbers of a whole result are the score that totals use
  if (score === undefined || !(isOwn || rule[type] === rule.total)) return undefined;
  if (type === 'total') return firstSideAt(market, score.home + score.away);
  const lead = leadOf(score, rule);
  return type === 'moneyline' && lead === 0 ? drawEnd(rule) : firstSideAt(market, lead);
}

/**
 * The part of a result that applies to a market, and whether it is given for that market (or its type) alone.
 */
function partOf({ id, type }: { readonly id: string; readonly type: MarketType }, result: GameResult) {
  const { by, ...whole } = result;
  const own = by?.[id] ?? by?.[type];
  return own === undefined ? { part: whole, isOwn: false } : { part: own, isOwn: true };
}

/** The end of a market by a result. Undefined when the result does not decide it: the market stays open. */
export function endOf(market: Market, result: GameResult, rule: SportRule): MarketEnd | undefined {
  const { part, isOwn } = partOf(market, result);
  return endBy(market, part, rule, isOwn);
}

/** True when stakes return because the market is void, not because its line was met. */
export const isVoid = (market: Market, result: GameResult): boolean => partOf(market, result).part.void === true;

/** The share that a stake on `side` wins: 1 won, 0 returned, −1 lost; half results are ±0.5. */
export const shareOfSide = (side: Side, end: MarketEnd): number =>
  end === 'both-lose' ? -1 : (sideIndex(side) === 0 ? end : 0 - end) + 0;

/** The profit of a fill by the end of its market; a half result wins or loses half. */
export function profitAt(
  { side, risk, win }: { readonly side: Side; readonly risk: Micros; readonly win: Micros },
  end: MarketEnd,
): Micros {
  const share = shareOfSide(side, end);
  return (share >= 0 ? share * win : share * risk) as Micros;
}

/** The payoff of a position by the end of its market. */
export const settledBy = (position: Position, end: MarketEnd): Micros =>
  end === 'both-lose' ? negative(position.staked) : settledAt(position, end);

/** The market types that a result leaves open. */
export const openTypes = (result: GameResult, rule: SportRule): readonly MarketType[] =>
  MARKET_TYPES.filter((type) => endOfType(type, result, rule) === undefined);

/** The end of a type, with an arbitrary line: whether a type is decided does not depend on the line. */
const endOfType = (type: MarketType, result: GameResult, rule: SportRule): MarketEnd | undefined => {
  const { part, isOwn } = partOf({ id: type, type }, result);
  return endBy({ ...ANY, type }, part, rule, isOwn);
};
const ANY: Market = {
  id: '' as MarketId,
  gameId: '' as GameId,
  type: 'moneyline',
  line: 0,
  sides: ['home', 'away'],
};

// ——— impossible results

/** The names of a game for messages. */
type Named = {
  readonly id: GameId;
  readonly league?: string | undefined;
  readonly sport?: string | undefined;
};

/** Why a game of this sport cannot have this result; undefined when it can. */
export function resultProblem(result: GameResult, known: KnownSport, game: Named): string | undefined {
  const { by = {}, ...whole } = result;
  const { rule } = known;
  const parts: readonly (readonly [label: string, part: PartResult, isMoneylines: boolean])[] = [
    ['', whole, rule.moneyline === rule.total],
    ...Object.entries(by).map(
      ([key, part]) => [` (${key})`, part, (isType(key) ? key : typeOfId(key)) === 'moneyline'] as const,
    ),
  ];
  for (const [label, part, decidesWinner] of parts) {
    const problem = partProblem(part, known, decidesWinner, game);
    if (problem !== undefined) return `${resultText(part)} of game ${game.id}${label} ${problem}`;
  }
  return undefined;
}

function partProblem(
  part: PartResult,
  { rule, origin }: KnownSport,
  decidesWinner: boolean,
  { league, sport }: Named,
): string | undefined {
  const { winner } = part;
  const games = `a game of ${league || sport || 'an unknown sport'}`;
  if (part.void === true && (part.home !== undefined || winner !== undefined || part.share !== undefined))
    return 'has both void and a result: give what stands, and what is void, by market type or market ("by")';
  if (part.share !== undefined && (part.home !== undefined || winner !== undefined))
    return 'has both a share and a result: give one of them';
  if (winner === 'draw' && rule.draw === 'impossible')
    return `cannot be: ${games} does not end level (sports: … draw: impossible)`;
  const score = scoreIn(part, rule);
  if (score === undefined || !decidesWinner) return undefined;
  const lead = Math.sign(leadOf(score, rule));
  if (lead === 0 && winner === undefined) {
    if (rule.draw === 'impossible')
      return `cannot be the final score: ${games} does not end level (sports: … draw: impossible)`;
    if (origin === 'unknown')
      return `is level, and it is not known how that settles a moneyline: set ${drawSetting({ league, sport })} (or both-lose) and start again`;
    return undefined;
  }
  const ledBy: Winner = lead === 0 ? 'draw' : lead > 0 ? 'home' : 'away';
  return winner === undefined || winner === ledBy
    ? undefined
    : `contradicts itself: by this score the winner is ${ledBy === 'draw' ? 'neither' : ledBy}`;
}

/** The setting under `sports:` for a game with an unknown draw rule. */
export const drawSetting = ({ league, sport }: Pick<Named, 'league' | 'sport'>): string =>
  `sports: { ${JSON.stringify(league || sport || '')}: { draw: push } }`;

/** The type in a market id; undefined when there is none. */
export function typeOfId(id: string): MarketType | undefined {
  const type = id.split('/')[1] ?? '';
  return isType(type) ? type : undefined;
}

// ——— later results

/** The result `before`, completed by `after`; or the contradiction between them. */
export function completedResult(
  before: GameResult | undefined,
  after: GameResult,
  known: KnownSport,
  game: Named,
): GameResult | { readonly problem: string } {
  if (before === undefined) {
    const problem = resultProblem(after, known, game);
    return problem === undefined ? after : { problem };
  }
  const { rule } = known;
  const clash = (subject: string): { readonly problem: string } => ({
    problem: `${resultText(after)} contradicts what is known of ${subject}: game ${game.id} is settled as ${resultText(before)}: take that back first, with \`ctl unsettle ${game.id}\``,
  });
  // a type that was unsettled is open: a later result decides it
  const isOpen = (type: MarketType): boolean => Object.keys(before.by?.[type] ?? { open: 1 }).length === 0;
  for (const type of MARKET_TYPES) {
    const [former, later] = [partOf({ id: type, type }, before), partOf({ id: type, type }, after)];
    // a result of a type alone takes precedence over a later whole result, as within one result
    if (former.isOwn && !later.isOwn) continue;
    if (endOfType(type, before, rule) === undefined || endOfType(type, after, rule) === undefined) continue;
    if (!isSamePart(former.part, later.part, type, rule)) return clash(type);
  }
  for (const [id, part] of Object.entries(after.by ?? {})) {
    const type = isType(id) ? undefined : typeOfId(id);
    if (type === undefined) continue;
    const { part: former } = partOf({ id, type }, before);
    if (Object.keys(former).length > 0 && endOfType(type, { by: { [type]: former } }, rule) !== undefined)
      if (!isSamePart(former, part, type, rule)) return clash(id);
  }
  const reopened = Object.entries(before.by ?? {}).filter(
    ([key]) => !(isType(key) && isOpen(key) && endOfType(key, after, rule) !== undefined),
  );
  const by = { ...Object.fromEntries(reopened), ...after.by };
  const { by: _former, ...whole } = before;
  const { by: _later, ...laterWhole } = after;
  const merged: GameResult = {
    ...whole,
    ...laterWhole,
    ...(Object.keys(by).length === 0 ? {} : { by }),
  };
  const problem = resultProblem(merged, known, game);
  return problem === undefined ? merged : { problem };
}

/** True when both parts agree on a type, as far as they decide it. */
function isSamePart(a: PartResult, b: PartResult, type: MarketType, rule: SportRule): boolean {
  if (a.void !== b.void || a.share !== b.share) return false;
  if (type === 'moneyline') {
    const market = { ...ANY, type };
    return endBy(market, a, rule, true) === endBy(market, b, rule, true);
  }
  const [first, second] = [scoreIn(a, rule), scoreIn(b, rule)];
  return first?.home === second?.home && first?.away === second?.away;
}

/** The result without its parts for these types, which are open then. */
export function withoutTypes(result: GameResult, types: readonly MarketType[]): GameResult {
  const { by = {}, ...whole } = result;
  const kept = Object.entries(by).filter(
    ([key]) => !types.some((type) => (isType(key) ? key : typeOfId(key)) === type),
  );
  const open = types.map((type) => [type, {}] as const);
  return { ...whole, by: Object.fromEntries([...kept, ...open]) };
}

/** A result as short text: `3-1`, `winner home`, `void`. */
export function resultText(result: GameResult): string {
  const { home, away, winner, share, by = {} } = result;
  const words = [
    ...(home === undefined || away === undefined ? [] : [`${home}-${away}`]),
    ...(winner === undefined ? [] : [`winner ${winner}`]),
    ...(result.void === true ? ['void'] : []),
    ...(share === undefined ? [] : [`share ${share}`]),
    ...Object.entries(by).flatMap(([key, part]) =>
      Object.keys(part).length === 0 ? [] : [`${key}: ${resultText(part)}`],
    ),
  ];
  return words.length === 0 ? 'open' : words.join(', ');
}

// ——— reading

const MOST_POINTS = 9999;
const WHOLE_KEYS: ReadonlySet<string> = new Set(['home', 'away', 'winner', 'void', 'by']);
const PART_KEYS: ReadonlySet<string> = new Set(['home', 'away', 'winner', 'void', 'share']);

/** A result read from JSON, or the problem and its place. */
export function readResult(value: unknown, gameId: string): GameResult | string {
  const whole = readPart(value, WHOLE_KEYS);
  if (typeof whole === 'string') return whole;
  const { by } = value as { readonly by?: unknown };
  if (by === undefined)
    return Object.keys(whole).length === 0 ? `expected ${EXPECTED}, received an empty object` : whole;
  if (typeof by !== 'object' || by === null || Array.isArray(by))
    return 'by: expected an object of market types or market ids';
  const parts: [string, PartResult][] = [];
  for (const [key, given] of Object.entries(by)) {
    const isId = key.startsWith(`${gameId}/`) && typeOfId(key.slice(gameId.length)) !== undefined;
    if (!isType(key) && !isId)
      return `by: expected moneyline, spread, total or a market id of this game (${gameId}/total/5.5), received ${JSON.stringify(key)}`;
    const part = readPart(given, PART_KEYS);
    if (typeof part === 'string') return `by.${key}: ${part}`;
    parts.push([key, part]);
  }
  return { ...whole, by: Object.fromEntries(parts) };
}

const EXPECTED = '{"home": 101, "away": 97}, {"winner": "home"}, {"void": true}, or these by market type ("by")';

function readPart(value: unknown, keys: ReadonlySet<string>): PartResult | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `expected ${EXPECTED}`;
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given))
    if (!keys.has(key)) return `unknown key ${JSON.stringify(key)}; expected ${EXPECTED}`;
  const { home, away, winner, share } = given;
  const isPoints = (points: unknown): points is number =>
    typeof points === 'number' && Number.isInteger(points) && points >= 0 && points <= MOST_POINTS;
  if (home !== undefined || away !== undefined) {
    if (!isPoints(home)) return `home: expected a whole number 0 … ${MOST_POINTS}`;
    if (!isPoints(away)) return `away: expected a whole number 0 … ${MOST_POINTS}`;
  }
  const won = WINNERS.find((known) => known === winner);
  if (winner !== undefined && won === undefined) return `winner: expected ${WINNERS.join(', ')}`;
  if (given['void'] !== undefined && given['void'] !== true) return 'void: expected true, or leave it out';
  if (share !== undefined && !(typeof share === 'number' && share >= -1 && share <= 1))
    return 'share: expected a number −1 … 1, the part of the stake that wins for home or over';
  return {
    ...(isPoints(home) && isPoints(away) ? { home, away } : {}),
    ...(won === undefined ? {} : { winner: won }),
    ...(given['void'] === true ? { void: true } : {}),
    ...(typeof share === 'number' ? { share } : {}),
  };
}
