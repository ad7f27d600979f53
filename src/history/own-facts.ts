// The facts of fills that were made anywhere, as the report of a run has them: each fill with what the bookmakers'
// prices said before it, after it and at the close, and with its result.
import type { GameId, GameResult, KnownSport, Micros, Side, TxId } from '../domain/index.ts';
import {
  applyFill,
  endOf,
  FLAT,
  isoTime,
  market,
  marketLine,
  MARKOUT_SECONDS,
  PAST_MS,
  profitAt,
  resultProblem,
  Sports,
  toOdds,
} from '../domain/index.ts';
import type { Market, Position } from '../domain/index.ts';
import type { CurvePoint, RunFacts, RunFill } from '../run/index.ts';
import { dollars, fallOf, NO_FACTS } from '../run/index.ts';
import type { EventHistory, PastBet, PastPriceSettings, TeamTable } from '../signals/index.ts';
import { EventPrices, eventText, teamLikeness } from '../signals/index.ts';
import type { FoundEvent } from './find-event.ts';
import { leagueOf, oddsGameId, sportOf } from './odds-game.ts';
import { EventFinder } from './find-event.ts';
import type { OwnFill } from './read-fills.ts';

export type Unmatched = {
  readonly line: number;
  readonly event: string;
  readonly why: string;
  readonly candidates: readonly string[];
};

export type OwnFacts = {
  readonly facts: RunFacts;
  /** Fills without an event: they count with their results, and without prices. */
  readonly unmatched: readonly Unmatched[];
  /** Results that were not used, and why. */
  readonly faults: readonly string[];
  /** Ages of the prices at the fills, ms, ascending. */
  readonly ages: readonly number[];
  /** Ages of the closing prices at the starts, ms, ascending. */
  readonly closeAges: readonly number[];
  /** Number of fills whose price at the fill or at the close is one of the model. */
  readonly byModel: number;
};

export type OwnSettings = PastPriceSettings & {
  readonly results: ReadonlyMap<GameId, GameResult>;
  /** Names of teams in the odds documents, by those of the fills. */
  readonly teams?: TeamTable;
};

/** @param events undefined: there are no odds documents, and no fill is matched */
export function ownFacts(
  fills: readonly OwnFill[],
  events: readonly EventHistory[] | undefined,
  settings: OwnSettings,
): OwnFacts {
  const sports = new Sports();
  const finder = events === undefined ? undefined : new EventFinder(events, settings.teams);
  const prices = new Map<EventHistory, EventPrices>();
  const unmatched: Unmatched[] = [];
  const faults: string[] = [];
  const ages: number[] = [];
  const closeAges: number[] = [];
  let byModel = 0;
  const positions = new Map<string, Position>();
  const rows = fills.map((fill): RunFill => {
    const found = finder?.find(fill);
    if (found !== undefined && 'why' in found) {
      const { why, candidates } = found;
      unmatched.push({ line: fill.line, event: fill.eventText, why, candidates });
    }
    const place = found === undefined || 'why' in found ? placeAlone(fill) : placeIn(fill, found);
    const position = applyFill(positions.get(place.market.id) ?? FLAT, place.side, fill.risk, fill.win);
    positions.set(place.market.id, position);
    const priced = place.history === undefined ? NOT_PRICED : pricesOf(fill, place, pricesIn(place.history));
    if (priced.age !== undefined) ages.push(priced.age);
    if (priced.closeAge !== undefined) closeAges.push(priced.closeAge);
    if (priced.isModel) byModel += 1;
    const settled = resultOf(fill, place, sports, settings.results);
    if (settled.fault !== undefined) faults.push(settled.fault);
    return runFill(fill, place, priced.facts, position, settled.profit);
  });
  const curve = curveOf(rows);
  return {
    facts: { ...NO_FACTS, fills: rows, curve, maxDrawdown: fallOf(curve) },
    unmatched,
    faults,
    ages: ages.sort((a, b) => a - b),
    closeAges: closeAges.sort((a, b) => a - b),
    byModel,
  };

  function pricesIn(history: EventHistory): EventPrices {
    let known = prices.get(history);
    if (known === undefined) prices.set(history, (known = new EventPrices(history, settings)));
    return known;
  }
}

type Place = {
  readonly market: Market;
  readonly side: Side;
  readonly name: string;
  readonly league: string;
  readonly start: number | undefined;
  readonly history: EventHistory | undefined;
};

function placeIn(fill: OwnFill, { history, side }: FoundEvent): Place {
  const { event } = history;
  const id = oddsGameId(event);
  const backed: Side = side ?? (fill.side === 'under' ? 'under' : 'over');
  return {
    market: market(partId(id, fill), fill.type, marketLine(fill.type, backed, fill.sideLine)),
    side: backed,
    name: eventText(event),
    league: fill.league === '' ? leagueOf(event.sport) : fill.league,
    start: event.start,
    history,
  };
}

/** A part of a game has an id of its own, so that its bets are in other markets. */
const partId = (id: GameId, { period }: OwnFill): GameId => (period === 'full' ? id : (`${id}:${period}` as GameId));

/** The place of a fill whose event is known by its text alone. */
function placeAlone(fill: OwnFill): Place {
  const { teams, eventText: text, start, side } = fill;
  const [home, away] = teams === undefined ? [text, ''] : [teams.home, teams.away];
  const id = `own:${home}|${away}|${isoTime(start ?? fill.t).slice(0, 10)}` as GameId;
  const backed: Side =
    typeof side === 'string' ? side : teamLikeness(home, side.team) >= teamLikeness(away, side.team) ? 'home' : 'away';
  return {
    market: market(partId(id, fill), fill.type, marketLine(fill.type, backed, fill.sideLine)),
    side: backed,
    name: text,
    league: fill.league,
    start,
    history: undefined,
  };
}

/** Before the start, a price is as good as that of the start for this long. */
const CLOSE_MS = 15 * 60_000;

type Priced = {
  readonly facts: Pick<RunFill, 'f0' | 'fc' | 'later' | 'past' | 'isInPlay'>;
  /** Age of the price at the fill, ms. */
  readonly age: number | undefined;
  /** Age at the start of what counts as the close, ms. */
  readonly closeAge: number | undefined;
  readonly isModel: boolean;
};
const NOT_PRICED: Priced = {
  facts: { f0: undefined, fc: undefined, later: [], past: undefined, isInPlay: false },
  age: undefined,
  closeAge: undefined,
  isModel: false,
};

function pricesOf(fill: OwnFill, { market: { type, line }, side }: Place, prices: EventPrices): Priced {
  const { t } = fill;
  const bet: PastBet = { type, period: fill.period, line, side };
  const { start } = prices;
  const isInPlay = t >= start;
  // a price of before the start says nothing of a fill in play
  const from = isInPlay ? start : undefined;
  const [f0, past] = [prices.before(bet, t, from), prices.before(bet, t - PAST_MS, from)];
  const last = prices.before(bet, isInPlay ? Number.POSITIVE_INFINITY : start, from);
  const fc = last !== undefined && isClose(last.fetchedAt, t, start) ? last : undefined;
  const later = MARKOUT_SECONDS.map((seconds) => {
    const to = t + 1000 * seconds;
    // a price of before the fill says nothing of after it; one after the start is another phase
    return !isInPlay && to >= start ? undefined : prices.before(bet, to + 1, t)?.p;
  });
  return {
    facts: { f0: f0?.p, fc: fc?.p, past: past?.p, later, isInPlay },
    age: f0 === undefined ? undefined : t - f0.fetchedAt,
    closeAge: fc === undefined || isInPlay ? undefined : start - fc.fetchedAt,
    isModel: f0?.from === 'model' || fc?.from === 'model',
  };
}

/** A price that was known before the fill is its close only when it is as good as that of the start. */
const isClose = (fetchedAt: number, t: number, start: number): boolean =>
  fetchedAt >= t || (t < start && start - fetchedAt <= CLOSE_MS);

/** The profit by the table, else by the results. The table says what was paid, so it counts where both differ. */
function resultOf(
  fill: OwnFill,
  { market: bet, side, name, league, history }: Place,
  sports: Sports,
  results: OwnSettings['results'],
): { readonly profit: Micros | undefined; readonly fault?: string } {
  const event = history?.event;
  const given =
    results.get(bet.gameId) ??
    (event === undefined || fill.period !== 'full' ? undefined : results.get(event.id as GameId));
  if (given === undefined) return { profit: fill.profit };
  const game = {
    id: bet.gameId,
    league,
    sport: sportOf(event?.sport ?? ''),
  };
  const known: KnownSport = sports.sportOf({ ...game, parentGameId: undefined });
  const problem = resultProblem(given, known, game);
  if (problem !== undefined) return { profit: fill.profit, fault: problem };
  const end = endOf(bet, given, known.rule);
  const profit = end === undefined ? undefined : profitAt({ side, risk: fill.risk, win: fill.win }, end);
  if (fill.profit === undefined || profit === undefined) return { profit: fill.profit ?? profit };
  if (Math.sign(profit) === Math.sign(fill.profit)) return { profit: fill.profit };
  return {
    profit: fill.profit,
    fault: `line ${fill.line}: ${name}: the table has ${dollars(fill.profit).toFixed(2)}, and by the results it is ${dollars(profit).toFixed(2)}: the table counts`,
  };
}

function runFill(
  fill: OwnFill,
  { market: bet, side, name, league, start }: Place,
  priced: Priced['facts'],
  { first, second }: Position,
  profit: Micros | undefined,
): RunFill {
  const { decimal, risk, win, t } = fill;
  return {
    txId: (fill.id ?? `line ${fill.line}`) as TxId,
    ref: undefined,
    // the nearest on the ladder, for display: stake and payout are exact
    odds: toOdds(decimal >= 2 ? 100 * (decimal - 1) : -100 / (decimal - 1)) ?? toOdds(100) ?? (100 as RunFill['odds']),
    risk,
    payout: risk + win,
    mark: undefined,
    markLater: undefined,
    profit,
    commission: fill.commission,
    t,
    gameId: bet.gameId,
    eventName: name,
    league: league === '' ? 'unknown' : league,
    period: fill.period,
    start,
    market: bet,
    side,
    strategy: fill.strategy as RunFill['strategy'],
    role: undefined,
    ageMs: undefined,
    queuePlaced: undefined,
    queueFilled: undefined,
    reason: undefined,
    position: { first, second },
    own: undefined,
    // the consensus itself is of the odds
    outside: {},
    ...priced,
  };
}

/** The result over time: each settled fill counts at the start of its game, since no table says when it was settled. */
function curveOf(fills: readonly RunFill[]): readonly CurvePoint[] {
  const settled = fills.filter(({ profit }) => profit !== undefined);
  const byTime = Map.groupBy(settled, ({ start, t }) => Math.max(start ?? t, t));
  let sum = 0;
  return [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([t, together]): CurvePoint => {
      for (const { profit = 0, commission } of together) sum += profit - commission;
      return { t, marked: dollars(sum), worst: 0, inventory: 0, inPlay: 0 };
    });
}
