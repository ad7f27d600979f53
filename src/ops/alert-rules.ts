// What stands, and somebody should know of: read once a second from what can be seen of a bot.
import type { Feed, FeedConnection } from '../domain/index.ts';
import { dollarsOfMicros, moneyText, ZERO } from '../domain/index.ts';
import type { Trouble } from './alerts.ts';
import type { BotFigures, SignalFigures } from './bot-figures.ts';
import { offText } from './bot-figures.ts';

export type AlertRules = {
  /** exchange.lateArrival: an order of unknown fate is settled by then. */
  readonly lateArrivalMs: number;
  /** exchange.playerMode */
  readonly mode: string;
  /** Dollars; undefined: no limit. */
  readonly haltAtLoss: number | undefined;
  readonly needsGuard: boolean;
};

export type Seen = Pick<
  BotFigures,
  'state' | 'problems' | 'closed' | 'feeds' | 'ages' | 'unknown' | 'pnl' | 'day' | 'mode' | 'http' | 'off'
> & {
  /** `address` and `fault`: as far as they are known; undefined: the connection is not this process's. */
  readonly connections: Readonly<Record<Feed, (Pick<FeedConnection, 'wasUp'> & Partial<FeedConnection>) | undefined>>;
  readonly guardPid: number | undefined;
  readonly fence: string | undefined;
  readonly sources: SignalFigures['sources'];
};

const FEEDS = ['prices', 'user'] as const;
/** Answers that say who may not. */
const REFUSALS = ['401', '403'];
/** A login that is renewed after the first of them is no trouble. */
const REFUSED_FOR_MS = 60_000;
const MOST_REFUSALS = 3;
/** A feed that has not connected after this long is no slow start. */
const CONNECTS_WITHIN_MS = 10_000;

export class AlertWatch {
  readonly #rules: AlertRules;
  /** Since when orders of unknown fate were there without a break. */
  #unknownSince: number | undefined;
  #refusals: { readonly at: number; readonly count: number }[] = [];
  /** When a bot that had started was seen first. */
  #startedAt: number | undefined;
  /** As it was found last. */
  #standing: readonly Trouble[] = [];

  constructor(rules: AlertRules) {
    this.#rules = rules;
  }

  /** `now`: monotonic ms. */
  look(seen: Seen, now: number): readonly Trouble[] {
    const { state } = seen;
    // what is not there yet is no trouble; and a bot that stops mends nothing
    if (state === 'starting') return [];
    if (state !== 'stopping') this.#standing = this.#standingIn(seen, now);
    return this.#standing;
  }

  #standingIn(seen: Seen, now: number): readonly Trouble[] {
    return [
      ...ofState(seen),
      ...seen.off.map((one) => ({
        ...error('STRATEGY_OFF', offText(one), { strategy: one.id }),
        key: one.id,
      })),
      ...this.#ofFeeds(seen, now),
      ...ofSources(seen),
      ...this.#ofUnknown(seen, now),
      ...this.#ofLosses(seen),
      ...this.#ofMode(seen),
      ...this.#ofRefusals(seen, now),
      ...(this.#rules.needsGuard && seen.guardPid === undefined
        ? [warn('NO_GUARD', 'no guard watches the bot: when it hangs, its orders stay')]
        : []),
    ];
  }

  /** One that was up is lost; one that never was has its time to connect. */
  #ofFeeds({ feeds, connections, ages }: Seen, now: number): readonly Trouble[] {
    this.#startedAt ??= now;
    const waitedMs = now - this.#startedAt;
    return FEEDS.filter((feed) => !feeds[feed]).flatMap((feed): readonly Trouble[] => {
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

  #ofUnknown({ unknown }: Seen, now: number): readonly Trouble[] {
    this.#unknownSince = unknown.now === 0 ? undefined : (this.#unknownSince ?? now);
    return this.#unknownSince === undefined || now - this.#unknownSince <= this.#rules.lateArrivalMs
      ? []
      : [
          warn('ORDERS_UNKNOWN', 'it is not known what became of orders, for longer than a request lives', {
            orders: unknown.now,
          }),
        ];
  }

  #ofLosses({ day, pnl }: Seen): readonly Trouble[] {
    const { haltAtLoss } = this.#rules;
    const losses = [
      {
        of: 'risk.maxDailyLoss',
        lost: -dollarsOfMicros(day?.brought ?? ZERO),
        limit: day && dollarsOfMicros(day.limit),
      },
      { of: 'risk.haltAtLoss', lost: -pnl.marked, limit: haltAtLoss },
    ];
    return losses.flatMap(({ of, lost, limit }): readonly Trouble[] => {
      if (limit === undefined || lost < limit / 2) return [];
      const text = `${moneyText(lost)} are lost of ${moneyText(limit)} (${of})`;
      const fields = { lost, limit };
      return lost < limit
        ? [{ ...warn('LOSS_HALF', text, fields), key: of }]
        : [{ ...error('LOSS_LIMIT', text, fields), key: of }];
    });
  }

  #ofMode({ mode }: Seen): readonly Trouble[] {
    const wanted = this.#rules.mode;
    return mode === undefined || mode === wanted
      ? []
      : [error('MODE', `the account is in the mode ${mode}, and the bot trades in ${wanted} only`)];
  }

  #ofRefusals({ http }: Seen, now: number): readonly Trouble[] {
    const count = REFUSALS.reduce((sum, status) => sum + (http[status] ?? 0), 0);
    this.#refusals = [...this.#refusals.filter(({ at }) => now - at <= REFUSED_FOR_MS), { at: now, count }];
    const recent = count - (this.#refusals[0]?.count ?? 0);
    return recent < MOST_REFUSALS
      ? []
      : [error('ACCESS_REFUSED', 'the exchange answers 401 or 403 again and again', { answers: recent })];
  }
}

function ofState({ state, problems, closed, fence }: Seen): readonly Trouble[] {
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

const ofSources = ({ sources }: Seen): readonly Trouble[] =>
  Object.entries(sources).flatMap(([source, problem]) =>
    problem === undefined
      ? []
      : {
          ...warn('SIGNAL_SOURCE', `a source of signals tells nothing: ${problem}`, { source }),
          key: source,
        },
  );

const warn = (alert: string, text: string, fields = {}): Trouble => ({ alert, level: 'warn', text, fields });
const error = (alert: string, text: string, fields = {}): Trouble => ({
  ...warn(alert, text, fields),
  level: 'error',
});
