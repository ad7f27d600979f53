// The figures that a bot reports about itself, read by its metrics, alerts and readiness.
import type { Feed, FeedConnection } from '../domain/index.ts';
import type { CoreStatus } from '../engine/index.ts';

/**
 * States of a bot. `degraded`: it quotes badly (readiness.ts). `blind`: it cannot see its own files
 * (journal-health.ts).
 */
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
  /** Connection of each feed. Undefined: this process does not connect it. */
  readonly connections: Readonly<Record<Feed, FeedConnection | undefined>>;
  /** Connections of each feed that were lost. */
  readonly drops: { readonly prices: number; readonly user: number };
  /** Frames of books that a newer one of the same side replaced before they were read. */
  readonly outrun: number;
  /** Number of alerts so far, by code. */
  readonly alerts: Readonly<Record<string, number>>;
  readonly requests: Readonly<Record<string, number>>;
  /** Number of orders that the exchange refused, by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Version, build, run, and a hash of the effective configuration. */
  readonly build: Readonly<Record<'version' | 'build' | 'config_hash' | 'run', string>>;
  /** Number of answers by status; 0: no answer came. */
  readonly http: Readonly<Record<string, number>>;
  /** Number of reads that wait for a permit. */
  readonly readsWaiting: number;
  /** Requests that each window allows. */
  readonly limits: { readonly place: number; readonly cancel: number };
  readonly loops: number;
  /** Bytes that wait for the disk, approximately. Undefined: there is no journal. */
  readonly journalWaiting: number | undefined;
  readonly tape: { readonly records: number; readonly lost: number } | undefined;
  readonly signals: SignalFigures;
  /** How long the exchange has answered nothing although requests are pending, ms. */
  readonly silentMs: number;
  /** True when a guard watches the bot. Undefined: it needs none. */
  readonly guarded: boolean | undefined;
  /** Number of markets in play that are quoted or held. */
  readonly inPlay: number;
  /** Strategies that are disabled, as a whole or in some markets. */
  readonly off: readonly StrategyOff[];
};

export type StrategyOff = {
  readonly id: string;
  /** Why it is disabled. Undefined: it runs, except in the `markets` in which it failed. */
  readonly why: string | undefined;
  readonly markets: number;
};

/** A disabled strategy as a sentence, with the remedy. */
export const offText = ({ id, why, markets }: StrategyOff): string =>
  `strategy ${id} is off${why === undefined ? ` in ${markets} of its markets` : ` (${why})`}: mend it, then ctl resume ${id}`;

/** A reason why the bot is not ready, for programs: a code, a sentence, and the fields of the code. */
export type ReadyProblem = { readonly code: string; readonly text: string } & Readonly<Record<string, unknown>>;

const FEEDS = ['prices', 'user'] as const;

export function readyProblems({
  off,
  feeds,
  connections,
  problems,
}: Pick<BotFigures, 'off' | 'feeds' | 'connections' | 'problems'>): readonly ReadyProblem[] {
  const offs = off.map((strategy) => ({ code: 'STRATEGY_OFF', text: offText(strategy), strategy: strategy.id }));
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
  /**
   * Values subscribed by strategies, values without a subscriber, messages refused, and values replaced
   * before use.
   */
  readonly taken: Readonly<Record<'accepted' | 'unknown' | 'refused' | 'outrun', number>>;
  /** Sources that are followed, and why each is silent. Undefined: it is not. */
  readonly sources: Readonly<Record<string, string | undefined>>;
  /** Quotes of an odds feed that are far from all others of their game. `key` stays while the gap lasts. */
  readonly gaps: readonly { readonly key: string; readonly text: string }[];
  /** Age of signals when strategies read them, seconds, by quantile. Undefined: none was read. */
  readonly ages: Readonly<Record<'0.5' | '0.95', number>> | undefined;
  /**
   * Events of an odds feed that match a game of the exchange, and those that do not. Undefined: there is no
   * odds feed.
   */
  readonly events: Readonly<Record<'matched' | 'unmatched', number>> | undefined;
};
