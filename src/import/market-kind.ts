// Which markets of this exchange a market of Betfair is: those with two ways to end, of the whole game. Everything else is left
// out, and why is said.
import { elementAt } from '../domain/index.ts';
import type { MarketType } from '../domain/index.ts';
import type { MarketDefinition, RunnerDefinition } from './stream-line.ts';

/** A runner at one of its handicaps. */
export type RunnerKey = string;
export const runnerKey = ({ id, handicap }: { readonly id: number; readonly handicap: number }): RunnerKey =>
  `${id}/${handicap + 0}`;

export type Team = { readonly id: string; readonly name: string };
export type Teams = { readonly home: Team; readonly away: Team };

/** One market of this exchange: who backs the first runner backs home or over, who backs the second away or under. */
export type TwoWay = {
  readonly type: MarketType;
  /** Home's spread or the total. */
  readonly line: number | undefined;
  readonly runners: readonly [RunnerKey, RunnerKey];
};
export type Kind =
  | {
      readonly markets: readonly TwoWay[];
      /** Undefined: it names none, as totals do. */
      readonly teams: Teams | undefined;
    }
  | { readonly leftOut: string };

/** As Betfair numbers them; in the words of this project. */
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

/** Sports whose events name the team that plays away first, also where an event has no name. */
const AWAY_FIRST = new Set(['basketball', 'baseball', 'football', 'hockey']);

const TEAM_TYPES = new Set(['MATCH_ODDS', 'MONEY_LINE', 'MONEYLINE', 'DRAW_NO_BET']);
const OF_A_PART =
  /HALF|QUARTER|PERIOD|INNING|(^|_)SET(_|$)|CORNER|BOOKING|CARD|(^|_)(1ST|2ND|3RD|4TH|HT)(_|$)|TEAM_[AB]|FIRST|PLAYER/;
const PLAIN_TOTAL = /^OVER_UNDER_(\d+)$/;

/** What a market is, and its teams. */
export function kindOf(definition: MarketDefinition): Kind {
  const { marketType, bettingType, runners } = definition;
  if (runners.length < 2) return { leftOut: `${runners.length} runners` };
  if (OF_A_PART.test(marketType)) return { leftOut: 'it is of a part of the game, or of a player' };
  if (bettingType.startsWith('ASIAN_HANDICAP')) return linesOf(definition);
  if (bettingType !== 'ODDS' && bettingType !== '') return { leftOut: `bets of type ${bettingType}` };
  const total = PLAIN_TOTAL.exec(marketType);
  if (total !== null) return plainTotal(definition, Number(total[1]) / 10);
  if (runners.length > 2)
    return { leftOut: `${runners.length} runners: a bet on one is no bet on one other (a draw, a field)` };
  if (!TEAM_TYPES.has(marketType)) return { leftOut: 'neither a moneyline, nor a handicap, nor a total' };
  const [first, second] = runners as [RunnerDefinition, RunnerDefinition];
  const teams = teamsOf(definition, first, second);
  return {
    markets: [{ type: 'moneyline', line: undefined, runners: inOrder(teams, runnerKey(first), runnerKey(second)) }],
    teams: teams.teams,
  };
}

type Seated = { readonly teams: Teams; readonly isFirstHome: boolean };

const inOrder = <T>({ isFirstHome }: Seated, first: T, second: T): readonly [T, T] =>
  isFirstHome ? [first, second] : [second, first];

/** The runners named over and under. */
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

/** Handicaps and totals with many lines in one market. */
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
    return markets.length > 0 ? { markets, teams: undefined } : { leftOut: 'no line of it has two sides' };
  }
  if (/TOTAL|GOALS|OVER_UNDER/.test(definition.marketType))
    return { leftOut: 'its runners are not named over and under' };
  const seated = teamsOf(definition, elementAt(first, 0), elementAt(second, 0));
  const [homes, aways] = inOrder(seated, first, second);
  for (const home of homes) {
    const away = aways.find(({ handicap }) => handicap === 0 - home.handicap);
    if (away !== undefined)
      markets.push({
        type: 'spread',
        line: home.handicap + 0,
        runners: [runnerKey(home), runnerKey(away)],
      });
  }
  return markets.length > 0 ? { markets, teams: seated.teams } : { leftOut: 'no line of it has two sides' };
}

/** Who plays at home: `A @ B` plays at B, `A v B` at A; without a name of the event, as the sport names its events. */
function teamsOf(definition: MarketDefinition, first: RunnerDefinition, second: RunnerDefinition): Seated {
  const told = splitName(definition);
  const names = [first, second].map(({ name }) => name?.trim().toLowerCase());
  const awayFirst = told?.isAwayFirst ?? AWAY_FIRST.has(sportOf(definition));
  // runners may be listed in another order than the event names them
  const isTurned = told !== undefined && names[0] === told.second.toLowerCase();
  const isFirstHome = awayFirst === isTurned;
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

/** The teams of an event of which only totals are told. */
export function teamsByName(definition: MarketDefinition): Teams {
  const told = splitName(definition);
  const { eventId } = definition;
  const [home, away] = told?.isAwayFirst === true ? [told.second, told.first] : [told?.first, told?.second];
  return {
    home: { id: `bf-${eventId}-home`, name: home ?? 'home' },
    away: { id: `bf-${eventId}-away`, name: away ?? 'away' },
  };
}
