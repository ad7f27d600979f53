// What a bot says of itself, read by its metrics, alerts and readiness.
import type { Feed, FeedConnection } from '../domain/index.ts';
import type { CoreStatus } from '../engine/index.ts';

/** `degraded`: it may quote, and does it badly (readiness.ts); `blind`: it cannot see its own files (journal-health.ts). */
export const BOT_STATES = [
  'starting',
  'quoting',
  'degraded',
  'not quoting',
  'reduce-only',
  'halted',
  'fenced',
  'blind',
  'stopping',
] as const;
export type BotState = (typeof BOT_STATES)[number];

export type BotFigures = CoreStatus & {
  readonly state: BotState;
  /** Why a bot that quotes is degraded. */
  readonly problems: readonly string[];
  /** Seconds since the last frame of each feed; undefined: none yet. */
  readonly ages: { readonly prices: number | undefined; readonly user: number | undefined };
  /** How each feed is connected; undefined: not by this process. */
  readonly connections: Readonly<Record<Feed, FeedConnection | undefined>>;
  /** Connections of each feed that were lost. */
  readonly drops: { readonly prices: number; readonly user: number };
  /** Frames of books that a newer one of the same side replaced before they were read. */
  readonly outrun: number;
  /** Alerts so far, by their code. */
  readonly alerts: Readonly<Record<string, number>>;
  readonly requests: Readonly<Record<string, number>>;
  /** Orders that the exchange refused, by what it called the reason. */
  readonly refusals: Readonly<Record<string, number>>;
  /** What runs: version, build, run, and a hash of the effective configuration. */
  readonly build: Readonly<Record<'version' | 'build' | 'config_hash' | 'run', string>>;
  /** Answers by status; 0: none came. */
  readonly http: Readonly<Record<string, number>>;
  /** Reads that wait for a permit. */
  readonly readsWaiting: number;
  /** Requests that the windows hold. */
  readonly limits: { readonly place: number; readonly cancel: number };
  readonly loops: number;
  /** Bytes, nearly, that wait for the disk; undefined: there is no journal. */
  readonly journalWaiting: number | undefined;
  readonly tape: { readonly records: number; readonly lost: number } | undefined;
  readonly signals: SignalFigures;
  /** For how long the exchange has answered nothing, though it was asked, ms. */
  readonly silentMs: number;
  /** A guard watches the bot; undefined: it needs none. */
  readonly guarded: boolean | undefined;
  /** Markets that are quoted or held and in play. */
  readonly inPlay: number;
  /** Strategies that were taken off: `why`, or in so many markets alone. */
  readonly off: readonly StrategyOff[];
};

export type StrategyOff = {
  readonly id: string;
  /** Undefined: it runs, but for `markets` in which it failed. */
  readonly why: string | undefined;
  readonly markets: number;
};

/** As a sentence, with the way out. */
export const offText = ({ id, why, markets }: StrategyOff): string =>
  `strategy ${id} is off${why === undefined ? ` in ${markets} of its markets` : ` (${why})`}: mend it, then ctl resume ${id}`;

/** What keeps the bot from being ready, for a program: a code, a sentence, and what belongs to the code. */
export type ReadyProblem = { readonly code: string; readonly text: string } & Readonly<Record<string, unknown>>;

const FEEDS = ['prices', 'user'] as const;

export function readyProblems({
  off,
  feeds,
  connections,
  problems,
}: Pick<BotFigures, 'off' | 'feeds' | 'connections' | 'problems'>): readonly ReadyProblem[] {
  const offs = off.map((one) => ({ code: 'STRATEGY_OFF', text: offText(one), strategy: one.id }));
  const down = FEEDS.filter((feed) => !feeds[feed]).map((feed) => {
    const { address, fault } = connections[feed] ?? {};
    return {
      code: 'FEED_DOWN',
      text: `the ${feed === 'user' ? 'user feed' : 'price feed'} is down`,
      feed,
      cause: fault?.cause ?? null,
      address: address ?? null,
      setting: fault?.setting ?? 'exchange.socketUrl',
    };
  });
  const texts = new Set(offs.map(({ text }) => text));
  const others = problems.filter((text) => !texts.has(text)).map((text) => ({ code: 'DEGRADED', text }));
  return [...offs, ...down, ...others];
}

export type SignalFigures = {
  /** Values that strategies asked for, that none did, messages refused, and values that a newer one replaced first. */
  readonly taken: Readonly<Record<'accepted' | 'unknown' | 'refused' | 'outrun', number>>;
  /** Sources that are followed, and what keeps them silent. */
  readonly sources: Readonly<Record<string, string | undefined>>;
  /** How old they were when strategies read them, seconds, by quantile; undefined: none was read. */
  readonly ages: Readonly<Record<'0.5' | '0.95', number>> | undefined;
  /** Of an odds feed: its events that are games of the exchange, and those that are none. */
  readonly events: Readonly<Record<'matched' | 'unmatched', number>> | undefined;
};
