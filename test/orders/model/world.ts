// One run: the true exchange, the bot, and everything that passes between them. Every input of the bot is a
// step, and every step is judged.
import type { Command } from '../../../src/domain/index.ts';
import { microsOfCents, oddsOf } from '../../../src/domain/index.ts';
import type { Bot } from './bot.ts';
import type { Wish } from './laws.ts';
import { Laws } from './laws.ts';
import type { Setup } from './scene.ts';
import { FORMER, STEP_MS } from './scene.ts';
import type { Flight } from './truth.ts';
import { GOOD, ordersOf, Truth } from './truth.ts';

/** The delivery of an answer. `not-sent`: the request was never sent. */
export const DELIVERIES = ['delivered', 'lost', 'garbled', 'not-sent'] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** The statuses after which the fate of a batch is open, unless batches are atomic. */
const UNCLEAR_OF_BATCH: readonly number[] = [400, 403, 404, 409];
/** Longer than anything waits: late arrivals, blocks of a slot, five look-ups, two censuses. */
const SETTLES_MS = 180_000;
const PLENTY = 25;

export class World {
  readonly truth: Truth;
  readonly laws: Laws;
  readonly #bot: Bot;

  constructor(setup: Setup, bot: Bot) {
    this.truth = new Truth(setup);
    this.laws = new Laws(this.truth);
    this.#bot = bot;
    const isFlying = setup.former === 'unanswered';
    if (isFlying) this.truth.sendFormer(FORMER);
    else if (setup.former === 'rests') this.#postFormer(setup);
    const handed = setup.former === 'handed' ? [this.truth.postOwn(FORMER).id] : [];
    this.step(() => {
      bot.boot(isFlying ? [FORMER] : [], handed);
    });
    this.feed(true);
    this.#readAccount();
    // all rows listed so far are older than the orders to come
    this.pass(1);
    for (let i = 0; i < setup.pool; i++) for (const bucket of ['cancel', 'place'] as const) this.grant(bucket);
  }

  #postFormer({ reportsReferences }: Setup): void {
    if (reportsReferences) this.truth.postOwn(FORMER);
    else this.truth.post(undefined, { ...FORMER, risk: microsOfCents(FORMER.risk) });
  }

  /** One input of the bot. */
  step(act: (bot: Bot) => void): readonly Command[] {
    const commands = this.#bot.step(this.truth.now, () => {
      act(this.#bot);
    });
    for (const command of commands) {
      this.laws.checkCommand(command, this.#bot);
      this.truth.send(command);
    }
    this.check();
    return commands;
  }

  /** Judges the state after an event at the exchange that was not reported to the bot. */
  check(): void {
    this.laws.checkState(this.#bot);
  }

  intend(wishes: readonly Omit<Wish, 'seq'>[]): void {
    this.step((bot) => {
      for (const { strategy, market, quotes } of wishes) {
        this.laws.applyIntent({ strategy, market, quotes, seq: bot.seq });
        bot.intend(
          strategy,
          market,
          quotes.map(({ rung, ...quote }) => ({ ...quote, odds: oddsOf(rung) })),
        );
      }
    });
  }

  grant(bucket: 'place' | 'cancel'): void {
    this.step((bot) => {
      bot.manager.applyPermit(bucket, this.truth.grant(bucket));
    });
  }

  feed(isUp: boolean): void {
    this.truth.setFeed(isUp);
    this.step((bot) => {
      bot.feed(isUp);
    });
  }

  /** Time passes in housekeeping steps, and the shell reports overdue requests. */
  pass(ms: number): void {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.truth.advance(Math.min(STEP_MS, left));
      for (const { req, failure } of this.truth.overdue())
        this.step((bot) => {
          bot.fail(req, failure);
        });
      this.step(() => undefined);
    }
  }

  /** Delivers the next event of the user feed. `bare`: without the optional fields. */
  deliver(bare: boolean): void {
    const event = this.truth.nextEvent();
    if (event === undefined) return;
    const id = event.fill?.order.id;
    this.truth.noteDelivered(event, bare, id !== undefined && this.#bot.account.owns(id));
    this.step((bot) => {
      bot.position(event.text(bare));
    });
  }

  /** Delivers the exchange's answer, or the failure that takes its place. */
  answer(flight: Flight, how: Delivery): void {
    const { truth } = this;
    const { req } = flight.command;
    const answer = flight.answer;
    if (flight.isSilent || (how === 'delivered' && answer === undefined) || (how === 'not-sent' && flight.acted))
      return;
    flight.isSilent = true;
    if (how !== 'delivered' || !this.#reportsFate(flight)) truth.noteUnanswered(flight);
    else truth.noteAnswered(flight);
    if (how === 'not-sent' || (how === 'delivered' && this.#reportsFate(flight))) truth.forget(flight);
    else if (ordersOf(flight.command).length > 0) truth.isLossy = true;
    if (how === 'delivered') this.#noteRefused(flight);
    if (how === 'delivered' && answer?.status === 423 && flight.command.type === 'cancel')
      this.laws.applyLockedOut(flight.command.orderIds);
    this.step((bot) => {
      if (how === 'delivered' && answer !== undefined) bot.reply({ req, ...answer });
      else if (how === 'garbled') bot.reply({ req, status: 200, body: { data: 'nonsense' } });
      else bot.fail(req, how === 'not-sent' ? 'not-sent' : 'no-answer');
    });
  }

  /** True when the answer reports the fate of the orders. */
  #reportsFate({ command, answer }: Flight): boolean {
    const status = answer?.status ?? 500;
    const { batchIsAtomic, batch400IsAtomic } = this.truth.setup;
    const isAtomic = batchIsAtomic || (status === 400 && batch400IsAtomic);
    const isBatch = command.type === 'place' && command.orders.length > 1 && !isAtomic;
    return status < 500 && !(isBatch && UNCLEAR_OF_BATCH.includes(status));
  }

  #noteRefused({ command, answer }: Flight): void {
    const status = answer?.status;
    for (const order of ordersOf(command)) {
      // a refused batch does not say which order was wrong, and an order's own result does not say whether it
      // always will be
      if (status === 400 || status === 403) this.laws.applyRefused(order);
    }
  }

  /** Nothing is quoted before the lists were read. */
  #readAccount(): void {
    for (let list = 0; list < 2; list++)
      for (const flight of [...this.truth.flights]) {
        if (flight.command.type !== 'read') continue;
        this.truth.act(flight, GOOD);
        this.answer(flight, 'delivered');
      }
  }

  /** The exchange handles all requests, and everything is reported, until nothing is in flight. */
  calm(): void {
    const { truth } = this;
    for (let round = 0; round < 20; round++) {
      for (const flight of [...truth.flights]) {
        truth.act(flight, GOOD);
        this.answer(flight, 'delivered');
      }
      while (truth.feed.length > 0) this.deliver(false);
      if (truth.flights.every(({ isSilent }) => isSilent)) break;
    }
    // reported facts are known at once, and not only when the next list is read
    const problem = truth.isLossy ? undefined : this.laws.unbooked(this.#bot);
    if (problem !== undefined) throw new Error(`reported and not known: ${problem}`);
  }

  /**
   * Everything is reported and answered, and there are permits enough: then the bot must reach the true
   * state.
   */
  settle(): void {
    const { truth } = this;
    if (!truth.feedIsUp) this.feed(true);
    let problem: string | undefined;
    for (let ms = 0; ms < SETTLES_MS; ms += STEP_MS) {
      for (const bucket of ['place', 'cancel'] as const) while (truth.permits[bucket].size < PLENTY) this.grant(bucket);
      this.calm();
      problem = this.laws.unsettled(this.#bot);
      // it must stay so for a while
      if (problem === undefined && ms >= 4 * STEP_MS) return;
      this.pass(STEP_MS);
    }
    throw new Error(`not settled after ${SETTLES_MS / 1000} s: ${problem}`);
  }
}
