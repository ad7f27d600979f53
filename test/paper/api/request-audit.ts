// Invariants of the exchange that hold after any request. The sums are computed here, not by the venue. Each
// check returns a list of problems, which is empty when all is well.
import type { PlayerMode, TxId } from '../../../src/domain/index.ts';
import type { VenueAccount, MarketBook, MatchedPlay, Venue, VenueGame, VenueOrder } from '../../../src/venue/index.ts';
import type { ExchangeReply } from '../../../src/paper/index.ts';
import { isRecord } from '../../../src/wire/index.ts';
import { MODES } from './request-actions.ts';

export type Json = Readonly<Record<string, unknown>>;
export const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
export const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const LARGEST = 1_000_000_000;
/** The highest score that is tried. No line of a plan is beyond it. */
const MOST_POINTS = 9;

type Stake = Pick<MatchedPlay, 'order' | 'risk' | 'win'>;

/**
 * The result of an order at a score: 1 won, 0 returned, −1 lost. A quarter line is half on each neighbour
 * line.
 */
function shareOf({ book: { market }, side }: VenueOrder, home: number, away: number): number {
  const line = market.line ?? 0;
  const points = market.type === 'total' ? home + away - line : home - away + line;
  const step = Number.isInteger(line * 2) ? 0 : 0.25;
  const share = (Math.sign(points - step) + Math.sign(points + step)) / 2;
  return side === market.sides[0] ? share : 0 - share;
}

export function profitOf({ order, risk, win }: Stake, home: number, away: number): number {
  const share = shareOf(order, home, away);
  return share >= 0 ? share * win : share * risk;
}

export const openPlays = (account: VenueAccount): MatchedPlay[] =>
  [...account.plays.values()].filter((play) => play.profit === undefined);

/** The worst loss of an account on one game. Open orders count as filled where that increases the loss. */
export function worstOf(account: VenueAccount, mode: PlayerMode, game: VenueGame): number {
  const stakes = [
    ...openPlays(account),
    ...[...account.open.values()].map((order) => ({ order, risk: order.remaining, win: 0 })),
  ].filter(({ order }) => order.mode === mode && order.book.game === game) as Stake[];
  let worst = 0;
  for (let home = 0; home <= MOST_POINTS; home++) {
    for (let away = 0; away <= MOST_POINTS; away++) {
      // a sport without draws has no level final score
      if (home === away && game.rule.draw === 'impossible') continue;
      let sum = 0;
      for (const stake of stakes) sum += profitOf(stake, home, away);
      worst = Math.min(worst, sum);
    }
  }
  return 0 - worst;
}

export function creditProblems({ games, profile }: Venue, account: VenueAccount): string[] {
  const problems: string[] = [];
  for (const mode of MODES) {
    let loss = 0;
    for (const game of games.values()) {
      const worst = worstOf(account, mode, game);
      loss += worst;
      if (profile.maxLiability !== null && worst > profile.maxLiability * 1e6)
        problems.push(`${account.username} can lose ${worst} on one game`);
    }
    if (!Number.isInteger(account.balances[mode]))
      problems.push(`${account.username} has ${account.balances[mode]} ${mode}`);
    if (loss > account.balances[mode])
      problems.push(`${account.username} can lose ${loss} ${mode} of ${account.balances[mode]}`);
  }
  return problems;
}

export const moneyOf = (venue: Venue): number =>
  [...venue.accounts.values()].reduce((sum, { balances }) => sum + balances.cash + balances.coins, 0);

export function bookProblems(venue: Venue, nowMs: number): string[] {
  const problems: string[] = [];
  let resting = 0;
  for (const game of venue.games.values()) {
    for (const book of game.books.values()) {
      for (const side of book.sides) {
        resting += side.orders.length;
        for (const [index, order] of side.orders.entries()) {
          problems.push(...orderProblems(order, nowMs));
          const before = side.orders[index - 1];
          if (before !== undefined && isAfter(before, order)) problems.push(`${order.id} is sorted too late`);
        }
      }
      problems.push(...marketProblems(venue, book));
    }
  }
  const open = [...venue.accounts.values()].reduce((sum, account) => sum + account.open.size, 0);
  if (open !== resting) problems.push(`${open} orders are open, ${resting} rest`);
  return problems;
}

function orderProblems(order: VenueOrder, nowMs: number): string[] {
  const { offered, filled, remaining, status, account, expiryMs, book } = order;
  const right =
    remaining === offered - filled &&
    remaining > 0 &&
    offered <= LARGEST &&
    status === 'open' &&
    account.open.get(order.id) === order &&
    (expiryMs ?? Number.POSITIVE_INFINITY) > nowMs &&
    !(order.gameStartExpiry && book.game.header.live) &&
    !book.game.header.ended;
  return right ? [] : [`${order.id} is ${status}: ${offered} − ${filled}, ${remaining} left`];
}

const isAfter = (a: VenueOrder, b: VenueOrder): boolean =>
  a.rung > b.rung ||
  (a.rung === b.rung && (a.createdAtMs > b.createdAtMs || (a.createdAtMs === b.createdAtMs && a.seq > b.seq)));

function marketProblems(venue: Venue, { market, sides: [first, second] }: MarketBook): string[] {
  const problems: string[] = [];
  const [best, facing] = [first.orders[0], second.orders[0]];
  if (best !== undefined && facing !== undefined && best.rung + facing.rung <= 0)
    problems.push(`${best.id} at ${best.odds} faces ${facing.id} at ${facing.odds}`);
  let [sumFirst, sumSecond] = [0, 0];
  for (const { credit } of venue.accounts.values()) {
    for (const mode of MODES) {
      const position = credit[mode].positionOf(market);
      sumFirst += position.first;
      sumSecond += position.second;
    }
  }
  if (sumFirst !== 0 || sumSecond !== 0) problems.push(`${market.id} adds up to ${sumFirst} / ${sumSecond}`);
  return problems;
}

/** Every match has one play of a maker and one of a taker, and each wins the risk of the other. */
export function playProblems(venue: Venue): string[] {
  const plays = [...venue.accounts.values()].flatMap((account) => [...account.plays.values()]);
  const problems: string[] = [];
  if (new Set(plays.map(({ txId }) => txId)).size !== plays.length) problems.push('a txID came twice');
  const pairs = (role: MatchedPlay['role']): string =>
    plays
      .filter((play) => play.role === role)
      .map(({ order, counterparty = '', risk, win, odds }) =>
        role === 'offer'
          ? [order.id, counterparty, risk, win, 0 - Math.abs(odds)].join(' ')
          : [counterparty, order.id, win, risk, 0 - Math.abs(odds)].join(' '),
      )
      .sort()
      .join('\n');
  if (pairs('offer') !== pairs('wager')) problems.push(`${pairs('offer')}\nis not\n${pairs('wager')}`);
  for (const { txId, odds, risk, win, order, role, counterparty } of plays) {
    // an account may fill its own order in coins, but not in cash
    const meetsItself = venue.orderById(counterparty ?? '')?.account === order.account;
    if (role === 'wager' && order.mode === 'cash' && meetsItself) problems.push(`${txId} fills its own order`);
    const ratio = odds > 0 ? odds / 100 : 100 / -odds;
    const [small, large] = ratio < 1 ? [win, risk * ratio] : [risk, win / ratio];
    // rounding may cost the side with the smaller stake up to twelve micro-dollars
    if (Math.abs(small - large) > 12) problems.push(`${txId} is ${risk} to win ${win} at ${odds}`);
    if (risk <= 0 || win <= 0) problems.push(`${txId} is ${risk} to win ${win}`);
    const fair = order.odds > 0 ? order.odds / 100 : 100 / -order.odds;
    if (ratio < fair - 1e-9) problems.push(`${txId} is at ${odds}, worse than the order's ${order.odds}`);
  }
  return problems;
}

const WINDOWS = { place: { most: 25, ms: 5_000 }, cancel: { most: 30, ms: 2_000 } } as const;
export type Bucket = keyof typeof WINDOWS;

/** Recounts all requests: no window has more than its limit, and no request is refused below the limit. */
export class Windows {
  readonly #accepted = new Map<string, number[]>();

  /** `waitSeconds` is the wait of a refusal, undefined when the request was accepted. */
  arrived(name: string, bucket: Bucket, nowMs: number, waitSeconds: number | undefined): string[] {
    const { most, ms } = WINDOWS[bucket];
    const key = `${name} ${bucket}`;
    const before = this.#accepted.get(key) ?? [];
    const within = before.filter((acceptedMs) => acceptedMs > nowMs - ms);
    if (waitSeconds === undefined) {
      this.#accepted.set(key, [...before, nowMs]);
      return within.length < most ? [] : [`${key}: ${within.length + 1} in ${ms} ms`];
    }
    const [oldest = nowMs] = within;
    const free = nowMs + waitSeconds * 1000;
    return within.length === most && free >= oldest + ms && free < oldest + ms + 2
      ? []
      : [`${key}: refused after ${within.length} in ${ms} ms until ${free - oldest}`];
  }
}

/** Checks an account's private feed: only own orders, each fill once, and no fill missing. */
export class FillBook {
  readonly #fills = new Map<string, number>();
  readonly #account: VenueAccount;
  readonly #venue: Venue;

  constructor(venue: Venue, account: VenueAccount) {
    this.#venue = venue;
    this.#account = account;
  }

  add({ unmatched, matched }: Json): string[] {
    const problems: string[] = [];
    const id = text(field(unmatched, 'orderID') ?? field(matched, 'orderID'));
    const play = this.#account.plays.get(text(field(matched, 'txID')) as TxId);
    // the feed names to a taker the order that it hit
    const isRight =
      unmatched === null
        ? play?.role === 'wager' && play.counterparty === id
        : this.#venue.orderById(id)?.account === this.#account;
    if (!isRight) problems.push(`${this.#account.username} received an event of ${id}`);
    const micros = (name: string): number => Math.round(number(field(unmatched, name)) * 1e6);
    if (micros('offered') > 0 && micros('offered') - micros('filled') !== micros('remaining'))
      problems.push(`${id} does not add up: ${JSON.stringify(unmatched)}`);
    if (!isRecord(matched)) return problems;
    const txId = text(matched['txID']);
    if (this.#fills.has(txId)) problems.push(`${txId} was reported twice`);
    this.#fills.set(txId, Math.round(number(matched['filled']) * 1e6));
    return problems;
  }

  /** `whole` is true when the feed was never interrupted, so that no fill may be missing. */
  problems(whole: boolean): string[] {
    const { plays, username } = this.#account;
    const known = new Map<string, number>([...plays.values()].map(({ txId, risk }) => [txId, risk]));
    const problems = [...this.#fills]
      .filter(([txId, filled]) => known.get(txId) !== filled)
      .map(([txId, filled]) => `${username} received ${txId} with ${filled}`);
    if (whole && this.#fills.size !== known.size)
      problems.push(`${username} received ${this.#fills.size} of ${known.size} fills`);
    return problems;
  }
}

const THROTTLES: readonly unknown[] = ['RATE_LIMITED', 'CANCEL_QUEUE_FULL', 'CANCEL_ALL_IN_PROGRESS'];

/** Checks the shape of a reply: 200 with JSON, or a 4xx with the spec's error envelope. */
export function replyProblems({ status, headers, payload }: ExchangeReply, json: unknown): string[] {
  const error = isRecord(json) && isRecord(json['error']) ? json['error'] : undefined;
  const details = isRecord(error?.['details']) ? error['details'] : undefined;
  const wait = details?.['retryAfterSeconds'];
  const shaped =
    status === 200
      ? isRecord(json) && !('error' in json)
      : status >= 400 && status < 500 && error?.['code'] === status && typeof error['message'] === 'string';
  const throttled = status === 429 || status === 423;
  const waits = throttled
    ? THROTTLES.includes(details?.['code']) &&
      typeof wait === 'number' &&
      wait > 0 &&
      headers['Retry-After'] === String(Math.ceil(wait)) &&
      typeof details?.['retryable'] === 'boolean' &&
      (details['code'] === 'CANCEL_ALL_IN_PROGRESS') === (status === 423)
    : details === undefined && headers['Retry-After'] === undefined;
  const typed = headers['Content-Type']?.startsWith('application/json') === true;
  return shaped && waits && typed ? [] : [`${status} ${JSON.stringify(headers)} ${payload.text.slice(0, 300)}`];
}

/**
 * Checks that a text for an account has no ids of other accounts, and `createdBy` only on the account's own
 * rows.
 */
export function privacyProblems(venue: Venue, account: VenueAccount, text: string): string[] {
  const problems: string[] = [];
  for (const other of venue.accounts.values())
    if (other !== account && text.includes(other.id))
      problems.push(`${account.username} received the id of ${other.username}: ${text}`);
  JSON.parse(text, (_key, value: unknown) => {
    if (!isRecord(value) || !('sumUntaken' in value) || typeof value['id'] !== 'string') return value;
    const own = venue.orderById(value['id'])?.account === account;
    if ((value['createdBy'] === account.id) !== own) problems.push(`createdBy on ${JSON.stringify(value)}`);
    return value;
  });
  return problems;
}
