// Judges a bot at the exchange, whatever carries its requests. At every event of the venue, no slot holds two
// live orders and the bot knows of at least the risk that exists. At the end, no window was exceeded, the
// bot's positions match the venue's, and nothing is open.
import type { Command, Arrival, Market, NewOrder, Position, RequestId, Side } from '../../src/domain/index.ts';
import { EXIT, FLAT } from '../../src/domain/index.ts';
import type { CoreStatus } from '../../src/engine/index.ts';
import type { VenueAccount, Venue } from '../../src/venue/index.ts';

export type BotEnd = {
  /** Undefined when the bot never ended. */
  readonly code: number | undefined;
  readonly status: CoreStatus;
  readonly positions: Iterable<{ readonly market: Market; readonly position: Position }>;
  /** True when an earlier run of the bot has fills of its own. */
  readonly restarted: boolean;
};

type Placed = { readonly market: Market; readonly side: Side; readonly ref: string };

/** A reference is instance.strategy.key.run-number. */
const slotOf = ({ market, side, ref }: Placed): string =>
  `${market.id} ${side} ${ref.split('-')[0]?.replace(/\.[^.]*$/, '')}`;

export class Judge {
  readonly #account: VenueAccount;
  readonly #seconds: () => number;
  /** The first violation of each broken rule. */
  readonly #broken = new Map<string, string>();
  readonly #sent = new Map<RequestId, readonly NewOrder[]>();
  /** By slot, the order that was refused for good. */
  readonly #refused = new Map<string, NewOrder>();

  /** `seconds`: how long the run has lasted. */
  constructor(account: VenueAccount, seconds: () => number) {
    this.#account = account;
    this.#seconds = seconds;
  }

  get broken(): readonly string[] {
    return [...this.#broken.values()];
  }

  say(rule: string, detail: string): void {
    // only the first violation counts
    if (!this.#broken.has(rule)) this.#broken.set(rule, `${this.#seconds().toFixed(2)} s ${rule}: ${detail}`);
  }

  /**
   * Checks the account at every event from now on. `known`: what the bot knows at that time; undefined when
   * that cannot be read.
   */
  watch(venue: Venue, known: () => CoreStatus | undefined): void {
    const { sink } = venue;
    venue.sink = {
      sideChanged: (side) => sink.sideChanged(side),
      gameChanged: (game, type) => sink.gameChanged(game, type),
      position: (who, record) => {
        sink.position(who, record);
        if (who !== this.#account) return;
        this.#checkSlots();
        this.checkExposure(known());
      },
    };
  }

  #checkSlots(): void {
    const slots = new Set<string>();
    for (const { book, side, reference = '' } of this.#account.open.values()) {
      const slot = slotOf({ market: book.market, side, ref: reference });
      if (slots.has(slot)) this.say('two live orders in one slot', slot);
      slots.add(slot);
    }
  }

  /**
   * Checks the exposure in each player mode. The bot learns only after a while that the mode was switched,
   * and orders stay in the mode they were placed in. Exposure is kept per mode, and what may be of the other
   * mode counts in both (rules.md, 9), so each mode must be covered by itself. The modes are not added up:
   * they have two currencies, and different results of a game.
   */
  checkExposure(known: CoreStatus | undefined): void {
    // a process that has just started knows nothing yet, and places nothing
    if (known?.accountRead !== true) return;
    const { coins, cash } = this.#account.credit;
    const venueLoss = Math.max(coins.worstLoss(), cash.worstLoss()) / 1e6;
    const ownLoss = 0 - known.pnl.worst;
    if (venueLoss > ownLoss + 0.01)
      this.say(
        'exposure under-counted',
        `the venue could take ${venueLoss.toFixed(2)}, the bot knows of ${ownLoss.toFixed(2)}`,
      );
  }

  /**
   * Checks a step of the bot: an order that was refused with 400 or 403 is not sent again unchanged in its
   * slot.
   */
  checkStep(input: Arrival, commands: readonly Command[]): void {
    if (input.type === 'reply' && (input.status === 400 || input.status === 403))
      for (const order of this.#sent.get(input.req) ?? []) this.#refused.set(slotOf(order), order);
    for (const command of commands) {
      if (command.type !== 'place' && command.type !== 'edit') continue;
      const orders = command.type === 'place' ? command.orders : [command.order];
      this.#sent.set(command.req, orders);
      for (const order of orders) {
        const slot = slotOf(order);
        const before = this.#refused.get(slot);
        this.#refused.delete(slot);
        if (before?.rung === order.rung && before.risk === order.risk)
          this.say('resent unchanged', `${slot} at rung ${order.rung} for ${order.risk} cents`);
      }
    }
  }

  /** Another run of the bot starts: it does not know what was refused before. */
  restart(): void {
    this.#sent.clear();
    this.#refused.clear();
  }

  /** A rule of the plan that never struck has proved nothing. */
  checkFaults(rules: readonly unknown[], hits: readonly number[]): void {
    for (const [index, rule] of rules.entries())
      if (hits[index] === 0) this.say(`rule ${index + 1} of the plan never struck`, JSON.stringify(rule));
  }

  checkEnd({ code, status, positions, restarted }: BotEnd): void {
    const account = this.#account;
    for (const bucket of ['place', 'cancel'] as const) {
      const { most, limit } = account.windows[bucket];
      if (most > limit) this.say('window exceeded', `${most} ${bucket} requests in one window of ${limit}`);
    }
    if (code === undefined) this.say('never ended', 'the stop was not over');
    else if (code !== EXIT.notConfirmed && account.open.size > 0)
      this.say('orders left open', `${account.open.size} although the stop said ${code}`);
    this.#comparePositions(positions);
    if (restarted) return;
    if (status.fills !== account.fills)
      this.say('fills differ', `the venue has ${account.fills}, the bot ${status.fills}`);
    else if (Math.abs(status.riskFilled - account.riskFilled / 1e6) > 1e-6)
      this.say('risk filled differs', `the venue has ${account.riskFilled / 1e6}, the bot ${status.riskFilled}`);
  }

  /** Compares positions one by one, to the micro-dollar except for the rounding of the wire. */
  #comparePositions(positions: BotEnd['positions']): void {
    const own = new Map([...positions].map(({ market, position }) => [market.id, position]));
    // what was matched before the bot knew of another player mode also belongs to the bot
    const { coins, cash } = this.#account.credit;
    for (const { market } of [...coins.positions(), ...cash.positions()]) {
      const known = own.get(market.id) ?? FLAT;
      const first = coins.positionOf(market).first + cash.positionOf(market).first;
      const second = coins.positionOf(market).second + cash.positionOf(market).second;
      if (Math.abs(known.first - first) > 50 || Math.abs(known.second - second) > 50)
        this.say(
          'positions differ',
          `${market.id}: the venue has ${first}/${second}, the bot ${known.first}/${known.second}`,
        );
    }
  }
}
