// Maps a Betfair market to markets of this exchange: those of the whole game with two outcomes. All others
// are left out with a reason.
import { elementAt } from '../domain/index.ts';
import type { MarketType } from '../domain/index.ts';
import type { MarketDefinition, RunnerDefinition } from './stream-line.ts';

/** A runner with one of its handicaps. */
export type RunnerKey = string;
export const runnerKey = ({ id, handicap }: { readonly id: number; readonly handicap: number }): RunnerKey =>
  `${id}/${handicap + 0}`;

export type Team = { readonly id: string; readonly name: string };
export type Teams = { readonly home: Team; readonly away: Team };

/**
 * A market of this exchange. Backing the first runner backs home or over; backing the second backs away or
 * under.
 */
export type TwoWay = {
  readonly type: MarketType;
  /** The home spread, or the total. */
  readonly line: number | undefined;
  readonly runners: readonly [RunnerKey, RunnerKey];
};
export type Kind =
  | {
      readonly markets: readonly TwoWay[];
      /** The teams. Undefined when the market names none, as totals do. */
      readonly teams: Teams | undefined;
    }
  | { readonly leftOut: string };

/** This project's sport names by Betfair's event type ids. */
const SPORTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    1: 'soccer',
    2: 'tennis',
    3: 'golf',
    4: 'cricket',
    5: 'rugby',
    6: 'boxing',
    1477: 'rugby',
    3503: 'darts',
    6422: 'snooker',
    6423: 'football',
    7511: 'baseball',
    7522: 'basketball',
    7524: 'hockey',
    61420: 'aussie rules',
    468328: 'handball',
    998917: 'volleyball',
    26420387: 'mma',
    2593174: 'table tennis',
  }),
);
export const sportOf = ({ eventTypeId }: MarketDefinition): string =>
  SPORTS.get(eventTypeId) ?? `betfair-${eventTypeId}`;

/** Sports whose events name the away team first, used also when an event has no name. */
const AWAY_FIRST = new Set(['basketball', 'baseball', 'football', 'hockey']);

const TEAM_TYPES = new Set(['MATCH_ODDS', 'MONEY_LINE', 'MONEYLINE', 'DRAW_NO_BET']);
const PART_TYPE =
  /HALF|QUARTER|PERIOD|INNING|(^|_)SET(_|$)|CORNER|BOOKING|CARD|(^|_)(1ST|2ND|3RD|4TH|HT)(_|$)|TEAM_[AB]|FIRST|PLAYER/;
const PLAIN_TOTAL = /^OVER_UNDER_(\d+)$/;

/** Classifies a market, and finds its teams. */
export function kindOf(definition: MarketDefinition): Kind {
  const { marketType, bettingType, runners } = definition;
  if (runners.length < 2) return { leftOut: `${runners.length} runners` };
  if (PART_TYPE.test(marketType)) return { leftOut: 'it covers a part of the game, or a player' };
  if (bettingType.startsWith('ASIAN_HANDICAP')) return linesOf(definition);
  if (bettingType !== 'ODDS' && bettingType !== '') return { leftOut: `bets of type ${bettingType}` };
  const total = PLAIN_TOTAL.exec(marketType);
  if (total !== null) return plainTotal(definition, Number(total[1]) / 10);
  if (runners.length > 2)
    return {
      leftOut: `${runners.length} runners: a bet against one is not a bet on a single other one (a draw, a field)`,
    };
  if (!TEAM_TYPES.has(marketType)) return { leftOut: 'neither a moneyline, nor a handicap, nor a total' };
  const [first, second] = runners as [RunnerDefinition, RunnerDefinition];
  const teams = teamsOf(definition, first, second);
  return {
    markets: [{ type: 'moneyline', line: undefined, runners: inOrder(teams, runnerKey(first), runnerKey(second)) }],
    teams: teams.teams,
  };
}

type OrderedTeams = { readonly teams: Teams; readonly isFirstHome: boolean };

const inOrder = <T>({ isFirstHome }: OrderedTeams, first: T, second: T): readonly [T, T] =>
  isFirstHome ? [first, second] : [second, first];

/** The runners whose names begin with over, and those with under. */
function overAndUnder(
  runners: readonly RunnerDefinition[],
): readonly [over: RunnerDefinition[], under: RunnerDefinition[]] {
  const named = (word: RegExp): RunnerDefinition[] => runners.filter(({ name }) => word.test(name ?? ''));
  return [named(/^over\b/i), named(/^under\b/i)];
}

function plainTotal({ runners }: MarketDefinition, line: number): Kind {
  const [[over], [under]] = overAndUnder(runners);
  if (runners.length !== 2 || over === undefined || under === undefined)
    return { leftOut: 'its runners are not named over and under' };
  return {
    markets: [{ type: 'total', line, runners: [runnerKey(over), runnerKey(under)] }],
    teams: undefined,
  };
}

/** Classifies handicaps and totals with several lines in one market. */
function linesOf(definition: MarketDefinition): Kind {
  const { runners } = definition;
  const ids = [...new Set(runners.map(({ id }) => id))];
  if (ids.length !== 2) return { leftOut: `a handicap with ${ids.length} runners` };
  const [overs, unders] = overAndUnder(runners);
  const isTotal = overs.length > 0 && unders.length > 0;
  const [first, second] = ids.map((id) => runners.filter((runner) => runner.id === id)) as [
    RunnerDefinition[],
    RunnerDefinition[],
  ];
  const markets: TwoWay[] = [];
  if (isTotal) {
    for (const over of overs) {
      const line = Math.abs(over.handicap);
      const under = unders.find(({ handicap }) => Math.abs(handicap) === line);
      if (under !== undefined && line > 0)
        markets.push({ type: 'total', line, runners: [runnerKey(over), runnerKey(under)] });
    }
    return markets.length > 0 ? { markets, teams: undefined } : { leftOut: 'none of its lines has two sides' };
  }
  if (/TOTAL|GOALS|OVER_UNDER/.test(definition.marketType))
    return { leftOut: 'its runners are not named over and under' };
  const ordered = teamsOf(definition, elementAt(first, 0), elementAt(second, 0));
  const [homes, aways] = inOrder(ordered, first, second);
  for (const home of homes) {
    const away = aways.find(({ handicap }) => handicap === 0 - home.handicap);
    if (away !== undefined)
      markets.push({
        type: 'spread',
        line: home.handicap + 0,
        runners: [runnerKey(home), runnerKey(away)],
      });
  }
  return markets.length > 0 ? { markets, teams: ordered.teams } : { leftOut: 'none of its lines has two sides' };
}

/**
 * The home and away teams: `A @ B` is played at B, `A v B` at A. Without an event name, the sport's usual
 * order applies.
 */
function teamsOf(definition: MarketDefinition, first: RunnerDefinition, second: RunnerDefinition): OrderedTeams {
  const parts = splitName(definition);
  const names = [first, second].map(({ name }) => name?.trim().toLowerCase());
  const awayFirst = parts?.isAwayFirst ?? AWAY_FIRST.has(sportOf(definition));
  // runners may be listed in another order than in the event's name
  const isReversed = parts !== undefined && names[0] === parts.second.toLowerCase();
  const isFirstHome = awayFirst === isReversed;
  const [home, away] = (isFirstHome ? [first, second] : [second, first]).map(({ id, name }): Team => ({
    id: `bf-${id}`,
    name: name ?? String(id),
  })) as [Team, Team];
  return { teams: { home, away }, isFirstHome };
}

type NameParts = { readonly first: string; readonly second: string; readonly isAwayFirst: boolean };

function splitName({ eventName }: MarketDefinition): NameParts | undefined {
  const [, first, by, second] = /^(.+?)\s+(@|at|v|vs\.?|-)\s+(.+)$/i.exec(eventName ?? '') ?? [];
  if (first === undefined || by === undefined || second === undefined) return undefined;
  return { first: first.trim(), second: second.trim(), isAwayFirst: /^(@|at)$/i.test(by) };
}

/** The teams of an event whose markets are only totals, from the event's name. */
export function teamsByName(definition: MarketDefinition): Teams {
  const parts = splitName(definition);
  const { eventId } = definition;
  const [home, away] = parts?.isAwayFirst === true ? [parts.second, parts.first] : [parts?.first, parts?.second];
  return {
    home: { id: `bf-${eventId}-home`, name: home ?? 'home' },
    away: { id: `bf-${eventId}-away`, name: away ?? 'away' },
  };
}
