// Carries out timed faults on connections, tokens, orders and games. A rule with `account` affects that
// account, otherwise all accounts with a login.
import type { ExchangePorts } from '../api/exchange-ports.ts';
import type { FeedTransport } from '../api/feeds.ts';
import type { Sessions } from '../api/sessions.ts';
import type { VenueAccount, VenueGame, Venue } from '../../venue/index.ts';
import { isPublished } from '../../venue/index.ts';
import type { Random } from '../../domain/index.ts';
import type { TimedRule } from './plan.ts';
import { FEED_NAMES } from './plan.ts';

/** The parts of the exchange that a timed fault affects. */
export type FaultTargets = {
  readonly venue: Venue;
  readonly feeds: { readonly transport: FeedTransport };
  readonly sessions: Sessions;
  readonly ports: ExchangePorts;
  readonly changeGame: (game: VenueGame, to: { readonly open: boolean }) => void;
};

export function applyTimedFault(exchange: FaultTargets, rule: TimedRule, random: Random, nowMs: number): void {
  const { venue, feeds, sessions } = exchange;
  const struck = [...venue.accounts.values()].filter(
    ({ internal, username }) => !internal && (rule.account === undefined || rule.account === username),
  );
  switch (rule.fault) {
    case 'disconnect':
    case 'half-open':
      for (const feed of rule.feeds ?? FEED_NAMES)
        for (const account of struck)
          if (rule.fault === 'disconnect') feeds.transport.disconnect(feed, account);
          else feeds.transport.freeze(feed, account);
      return;
    case 'cancel-order':
      for (const account of struck)
        for (let left = rule.orders; left > 0; left--) cancelAny(exchange, account, random, nowMs);
      return;
    case 'cancel-all':
      for (const account of struck) venue.cancelAll(account, nowMs);
      return;
    case 'expire-tokens':
      for (const account of struck) sessions.revoke(account);
      return;
    case 'switch-mode':
      for (const account of struck) venue.setMode(account, account.mode === 'cash' ? 'coins' : 'cash', nowMs);
      return;
    case 'close-game':
      closeAny(exchange, rule.for, random, nowMs);
  }
}

function cancelAny({ venue }: FaultTargets, account: VenueAccount, random: Random, nowMs: number): void {
  const orders = [...account.open.values()];
  const order = orders[Math.floor(random.next() * orders.length)];
  if (order !== undefined) venue.cancelWhere(account, (candidate) => candidate === order, nowMs);
}

function closeAny(exchange: FaultTargets, forMs: number | undefined, random: Random, nowMs: number): void {
  const { venue, ports } = exchange;
  const open = [...venue.games.values()].filter(isPublished);
  const game = open[Math.floor(random.next() * open.length)];
  if (game === undefined) return;
  exchange.changeGame(game, { open: false });
  if (forMs === undefined) return;
  ports.at(nowMs + forMs, () => {
    if (!game.header.ended) exchange.changeGame(game, { open: true });
  });
}
