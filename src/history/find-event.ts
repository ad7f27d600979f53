// Finds the event of a fill among those of odds documents. A price of the wrong game makes every figure of a fill
// wrong, so teams and time must both fit, and where two events fit none is taken.
import { namedGame } from '../domain/index.ts';
import type { EventHistory, OddsEvent } from '../signals/index.ts';
import type { TeamTable } from '../signals/index.ts';
import { eventText, LEAST_LIKENESS, teamLikeness, wordsOf } from '../signals/index.ts';
import type { OwnFill } from './read-fills.ts';

export type FoundEvent = {
  readonly history: EventHistory;
  /** The side of the event's two teams that the fill backs; undefined for a total. */
  readonly side: 'home' | 'away' | undefined;
};

/** Why a fill has no event, with the events that come nearest. */
export type NoEvent = { readonly why: string; readonly candidates: readonly string[] };

const HOUR_MS = 3_600_000;
/** A fill belongs to no game that began longer before it. */
const LONGEST_GAME_MS = 5 * HOUR_MS;
/** A table and a document may differ by this much on the start of one game. */
const START_APART_MS = 1.5 * HOUR_MS;
/** Two games of the same teams that start within this time: a fill without a start could be of either. */
const TWICE_MS = 12 * HOUR_MS;
/** A fill without a start may be of an event that begins within this time, though it was not listed yet. */
const SOON_MS = 36 * HOUR_MS;
const MOST_CANDIDATES = 3;

type Likeness = {
  readonly score: number;
  /** Alike enough to be its event. */
  readonly isNamed: boolean;
  /** Home is away there. */
  readonly isTurned: boolean;
};
type Alike = Likeness & { readonly history: EventHistory };

export class EventFinder {
  readonly #events: readonly EventHistory[];
  readonly #names: ReadonlyMap<string, string>;
  /** The events that are alike, by the names in a fill: many fills are of one game. */
  readonly #alike = new Map<string, readonly Alike[]>();

  /** @param names names in the documents, by those of the fills */
  constructor(events: readonly EventHistory[], names: TeamTable = {}) {
    this.#events = events;
    this.#names = new Map(Object.entries(names).map(([own, name]) => [wordsOf(own), name]));
  }

  #named(fill: OwnFill): OwnFill {
    if (this.#names.size === 0) return fill;
    const nameOf = (own: string): string => this.#names.get(wordsOf(own)) ?? own;
    const { teams, eventText: text, side } = fill;
    return {
      ...fill,
      eventText: nameOf(text),
      teams: teams && { home: nameOf(teams.home), away: nameOf(teams.away) },
      side: typeof side === 'object' ? { ...side, team: nameOf(side.team) } : side,
    };
  }

  find(asWritten: OwnFill): FoundEvent | NoEvent {
    const fill = this.#named(asWritten);
    const { teams, eventText: text, side } = fill;
    const key = JSON.stringify(teams === undefined ? [text, side] : [teams.home, teams.away]);
    let alike = this.#alike.get(key);
    if (alike === undefined) {
      alike = this.#events.flatMap((history) => {
        const likeness = likenessTo(fill, history.event);
        return likeness.score > 0 ? [{ history, ...likeness }] : [];
      });
      this.#alike.set(key, alike);
    }
    return eventAmong(fill, alike);
  }
}

function eventAmong(fill: OwnFill, alike: readonly Alike[]): FoundEvent | NoEvent {
  const named = alike.filter(({ isNamed }) => isNamed);
  const candidates = (list: readonly { readonly history: EventHistory }[]): readonly string[] =>
    list
      .toSorted((a, b) => apartFrom(fill, a.history.event) - apartFrom(fill, b.history.event))
      .slice(0, MOST_CANDIDATES)
      .map(({ history: { event } }) => namedGame(eventText(event), event.start));
  if (named.length === 0)
    return {
      why: alike.length > 0 ? 'no event has both of its teams' : 'no event has its teams',
      candidates: candidates(alike.toSorted((a, b) => b.score - a.score).slice(0, MOST_CANDIDATES)),
    };
  const fitting = named.filter(({ history }) => isInTime(fill, history));
  const [first, second] = fitting.toSorted((a, b) => a.history.event.start - b.history.event.start);
  if (first === undefined) return { why: 'its teams play at another time', candidates: candidates(named) };
  if (second !== undefined && isEitherOf(fill, first.history.event, second.history.event))
    return { why: 'more than one event fits: name its start (--map start=COLUMN)', candidates: candidates(fitting) };
  const side = sideOf(fill, first.history.event, first.isTurned);
  if (typeof side === 'object') return { ...side, candidates: candidates([first]) };
  return { history: first.history, side };
}

const apartFrom = ({ start, t }: OwnFill, event: OddsEvent): number => Math.abs(event.start - (start ?? t));

/**
 * True when a fill can be of an event: at one of its announced starts; or, without a start, when the event was already
 * listed or begins soon. A later game of the same teams is another one.
 */
const isInTime = ({ start, t }: OwnFill, { event, snapshots }: EventHistory): boolean =>
  start === undefined
    ? event.start > t - LONGEST_GAME_MS &&
      (event.start <= t + SOON_MS || snapshots.some(({ fetchedAt }) => fetchedAt <= t))
    : snapshots.some((listed) => Math.abs(listed.event.start - start) <= START_APART_MS);

/** True when a fill may be of the second event as well as of the first. */
function isEitherOf({ start, t }: OwnFill, first: OddsEvent, second: OddsEvent): boolean {
  if (start !== undefined) return true;
  // a fill in the time of a game may be one in play, or an early one of the next game
  const isEarly = second.start - first.start >= TWICE_MS;
  return first.start <= t ? second.start - t < SOON_MS : !isEarly;
}

/** How alike the teams of a fill are to those of an event. */
function likenessTo({ teams, eventText: text, side }: OwnFill, { home, away }: OddsEvent): Likeness {
  if (teams !== undefined) {
    const straight = [teamLikeness(home, teams.home), teamLikeness(away, teams.away)];
    const turned = [teamLikeness(home, teams.away), teamLikeness(away, teams.home)];
    const sum = (parts: readonly number[]): number => parts.reduce((a, b) => a + b, 0);
    const isTurned = sum(turned) > sum(straight);
    const parts = isTurned ? turned : straight;
    const score = sum(parts);
    return { score, isNamed: Math.min(...parts) > 0 && score >= LEAST_LIKENESS, isTurned };
  }
  // a text with one team: that team, or the one that was backed
  const named = [text, ...(typeof side === 'object' ? [side.team] : [])];
  const score = Math.max(...named.flatMap((name) => [teamLikeness(home, name), teamLikeness(away, name)]));
  return { score, isNamed: score >= LEAST_LIKENESS / 2, isTurned: false };
}

/** The side that a fill backs in an event's own order of teams, or why it is not known. */
function sideOf(
  { side, type, teams }: OwnFill,
  event: OddsEvent,
  isTurned: boolean,
): FoundEvent['side'] | { readonly why: string } {
  if (type === 'total' || side === 'over' || side === 'under') return undefined;
  if (side === 'home' || side === 'away') {
    if (teams === undefined) return { why: `${side}: its text names one team, and not which side it is` };
    return (side === 'home') === isTurned ? 'away' : 'home';
  }
  const [home, away] = [teamLikeness(event.home, side.team), teamLikeness(event.away, side.team)];
  if (home === away) return { why: `${JSON.stringify(side.team)} is neither of its teams` };
  return home > away ? 'home' : 'away';
}
