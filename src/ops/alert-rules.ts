// The alert conditions that stand, evaluated once a second from the figures of a bot.
import type { Feed, FeedConnection } from '../domain/index.ts';
import { dollarsOfMicros, moneyText, ZERO } from '../domain/index.ts';
import type { AlertCause } from './alerts.ts';
import type { BotFigures, SignalFigures } from './bot-figures.ts';
import { offText } from './bot-figures.ts';

export type AlertRules = {
  /** exchange.lateArrival: after this time an unknown fate should be resolved. */
  readonly lateArrivalMs: number;
  /** exchange.playerMode */
  readonly mode: string;
  /** Dollars; undefined: no limit. */
  readonly haltAtLoss: number | undefined;
  readonly needsGuard: boolean;
};

export type Seen = Pick<
  BotFigures,
  | 'state'
  | 'problems'
  | 'closed'
  | 'feeds'
  | 'ages'
  | 'unknown'
  | 'pnl'
  | 'day'
  | 'mode'
  | 'http'
  | 'off'
  | 'heldExpired'
> & {
  /** `address` and `fault`: as far as known. Undefined: this process does not connect it. */
  readonly connections: Readonly<Record<Feed, (Pick<FeedConnection, 'wasUp'> & Partial<FeedConnection>) | undefined>>;
  readonly guardPid: number | undefined;
  readonly fence: string | undefined;
  readonly sources: SignalFigures['sources'];
  readonly gaps: SignalFigures['gaps'];
};

const FEEDS = ['prices', 'user'] as const;
/** Statuses of answers that deny access. */
const REFUSALS = ['401', '403'];
/** Within this time one refusal and a renewed login are no trouble, ms. */
const REFUSED_FOR_MS = 60_000;
const MOST_REFUSALS = 3;
/** Highest number of markets that an alert names. */
const MOST_NAMED = 5;
/** A feed that has not connected after this time is not just starting slowly, ms. */
const CONNECTS_WITHIN_MS = 10_000;

export class AlertWatch {
  readonly #rules: AlertRules;
  /** Since when there have always been orders of unknown fate, monotonic ms. */
  #unknownSince: number | undefined;
  #refusals: { readonly at: number; readonly count: number }[] = [];
  /** When the bot was first seen started, monotonic ms. */
  #startedAt: number | undefined;
  /** Result of the last evaluation. */
  #standing: readonly AlertCause[] = [];

  constructor(rules: AlertRules) {
    this.#rules = rules;
  }

  /** @param now monotonic ms */
  causesOf(seen: Seen, now: number): readonly AlertCause[] {
    const { state } = seen;
    // what has not started is no trouble, and a stopping bot does not resolve anything
    if (state === 'starting') return [];
    if (state !== 'stopping') this.#standing = this.#standingIn(seen, now);
    return this.#standing;
  }

  #standingIn(seen: Seen, now: number): readonly AlertCause[] {
    return [
      ...stateTroubles(seen),
      ...seen.off.map((strategy) => ({
        ...error('STRATEGY_OFF', offText(strategy), { strategy: strategy.id }),
        key: strategy.id,
      })),
      ...this.#feedTroubles(seen, now),
      ...sourceTroubles(seen),
      ...seen.gaps.map(({ key, text }) => ({ ...warn('PRICE_GAP', text), key })),
      ...heldTroubles(seen),
      ...this.#unknownTroubles(seen, now),
      ...this.#lossTroubles(seen),
      ...this.#modeTroubles(seen),
      ...this.#refusalTroubles(seen, now),
      ...(this.#rules.needsGuard && seen.guardPid === undefined
        ? [warn('NO_GUARD', 'no guard watches the bot: when it hangs, its orders stay')]
        : []),
    ];
  }

  /** Feeds that are down: lost ones at once, those that never connected after CONNECTS_WITHIN_MS. */
  #feedTroubles({ feeds, connections, ages }: Seen, now: number): readonly AlertCause[] {
    this.#startedAt ??= now;
    const waitedMs = now - this.#startedAt;
    return FEEDS.filter((feed) => !feeds[feed]).flatMap((feed): readonly AlertCause[] => {
      const name = feed === 'user' ? 'user feed' : 'price feed';
      const { wasUp, address, fault } = connections[feed] ?? {};
      if (wasUp !== false) {
        const fields = { secondsSinceLastFrame: Math.round(ages[feed] ?? 0) };
        return [{ ...warn('FEED_LOST', `the ${name} is down: nothing is quoted`, fields), key: feed }];
      }
      if (waitedMs < CONNECTS_WITHIN_MS) return [];
      const why = address === undefined ? '' : `: ${fault?.cause ?? 'no answer yet'}, ${address}`;
      const fields = {
        setting: fault?.setting ?? 'exchange.socketUrl',
        seconds: Math.round(waitedMs / 1000),
      };
      return [
        {
          ...warn('FEED_NOT_CONNECTED', `the ${name} has not connected since the start${why}`, fields),
          key: feed,
        },
      ];
    });
  }

  #unknownTroubles({ unknown }: Seen, now: number): readonly AlertCause[] {
    this.#unknownSince = unknown.now === 0 ? undefined : (this.#unknownSince ?? now);
    return this.#unknownSince === undefined || now - this.#unknownSince <= this.#rules.lateArrivalMs
      ? []
      : [
          warn('ORDERS_UNKNOWN', 'the fate of orders is unknown, for longer than a request lives', {
            orders: unknown.now,
          }),
        ];
  }

  #lossTroubles({ day, pnl }: Seen): readonly AlertCause[] {
    const { haltAtLoss } = this.#rules;
    const losses = [
      {
        setting: 'risk.maxDailyLoss',
        lost: -dollarsOfMicros(day?.brought ?? ZERO),
        limit: day && dollarsOfMicros(day.limit),
      },
      { setting: 'risk.haltAtLoss', lost: -pnl.marked, limit: haltAtLoss },
    ];
    return losses.flatMap(({ setting, lost, limit }): readonly AlertCause[] => {
      if (limit === undefined || lost < limit / 2) return [];
      const text = `${moneyText(lost)} of ${moneyText(limit)} are lost (${setting})`;
      const fields = { lost, limit };
      return lost < limit
        ? [{ ...warn('LOSS_HALF', text, fields), key: setting }]
        : [{ ...error('LOSS_LIMIT', text, fields), key: setting }];
    });
  }

  #modeTroubles({ mode }: Seen): readonly AlertCause[] {
    const wanted = this.#rules.mode;
    return mode === undefined || mode === wanted
      ? []
      : [error('MODE', `the account is in the mode ${mode}, and the bot trades in ${wanted} only`)];
  }

  #refusalTroubles({ http }: Seen, now: number): readonly AlertCause[] {
    const count = REFUSALS.reduce((sum, status) => sum + (http[status] ?? 0), 0);
    this.#refusals = [
      ...this.#refusals.filter(({ at: countedAt }) => now - countedAt <= REFUSED_FOR_MS),
      { at: now, count },
    ];
    const recent = count - (this.#refusals[0]?.count ?? 0);
    return recent < MOST_REFUSALS
      ? []
      : [error('ACCESS_REFUSED', 'the exchange answers 401 or 403 again and again', { answers: recent })];
  }
}

function stateTroubles({ state, problems, closed, fence }: Seen): readonly AlertCause[] {
  switch (state) {
    case 'halted':
      return [error('HALTED', `the kill switch is set: ${closed ?? 'nothing is quoted'}`)];
    case 'fenced':
      return [error('FENCED', `a fence stands: ${fence ?? 'nothing is placed'}`)];
    case 'blind':
      return [error('BLIND', `the bot does not see its files: ${closed ?? 'nothing is quoted'}`)];
    case 'degraded':
      return [warn('DEGRADED', problems.join('; '))];
    default:
      return [];
  }
}

const sourceTroubles = ({ sources }: Seen): readonly AlertCause[] =>
  Object.entries(sources).flatMap(([source, problem]) =>
    problem === undefined
      ? []
      : {
          ...warn('SIGNAL_SOURCE', `a source of signals sends nothing: ${problem}`, { source }),
          key: source,
        },
  );

function heldTroubles({ heldExpired }: Seen): readonly AlertCause[] {
  if (heldExpired.length === 0) return [];
  const more = heldExpired.length > MOST_NAMED ? ` and ${heldExpired.length - MOST_NAMED} more` : '';
  const text = `values of what is held elsewhere have expired: ${heldExpired.slice(0, MOST_NAMED).join(', ')}${more}`;
  return [warn('HELD_EXPIRED', text, { markets: heldExpired.length })];
}

const warn = (alert: string, text: string, fields = {}): AlertCause => ({ alert, level: 'warn', text, fields });
const error = (alert: string, text: string, fields = {}): AlertCause => ({
  ...warn(alert, text, fields),
  level: 'error',
});
