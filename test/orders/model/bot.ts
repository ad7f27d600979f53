// The real side of the model: an order manager, wired as in the core but without price feeds, strategies and
// gates. Intents come from the test, and only the manager decides what is sent. Replies go through the core's
// own applyAnswer and the lists through its reconciliation: the meaning of a status or a body is part of the
// test.
import type {
  Command,
  HeldIntent,
  Input,
  Market,
  MarketId,
  NewOrder,
  OrderId,
  QuoteIntent,
  Received,
  StrategyId,
} from '../../../src/domain/index.ts';
import { Account, PlayerModeWatch, recordEvent, Reconciliation } from '../../../src/account/index.ts';
import { Sports, NO_OFFERS } from '../../../src/domain/index.ts';
import { Closing } from '../../../src/engine/closing.ts';
import { CommandBuffer } from '../../../src/engine/command-buffer.ts';
import { MarketData } from '../../../src/engine/market-data.ts';
import type { ReplyParts } from '../../../src/engine/replies.ts';
import { applyAnswer, applyFailure } from '../../../src/engine/replies.ts';
import { Mirror } from '../../../src/mirror/index.ts';
import { OrderManager, targetsOf } from '../../../src/orders/index.ts';
import { bookPerspectiveOf, Decoder, parsePositionUpdate } from '../../../src/wire/index.ts';
import type { Setup } from './scene.ts';
import { FORMER, GAMES, gameMessage, settingsOf, STEP_MS, STRATEGIES, WALL } from './scene.ts';

/** The quotes are alone in their books, and no book is stale. */
const NO_OTHERS = [NO_OFFERS, NO_OFFERS] as const;
const FRESH = ['fresh', 'fresh'] as const;

export class Bot {
  readonly account: Account;
  readonly manager: OrderManager;
  readonly reconciliation: Reconciliation;
  /** Sequence number of the current step. */
  seq = 0;
  /** Monotonic ms since when both feeds are up. */
  upSince: number | undefined;
  readonly #settings: ReturnType<typeof settingsOf>;
  readonly #buffer = new CommandBuffer();
  readonly #decoder: Decoder;
  readonly #mirror: Mirror;
  readonly #replies: ReplyParts;
  readonly #intents = new Map<MarketId, Map<StrategyId, HeldIntent>>();
  readonly #changed = new Set<Market>();
  #nextHousekeepingAt = 0;

  constructor(setup: Setup) {
    const settings = settingsOf(setup);
    const buffer = this.#buffer;
    this.#settings = settings;
    this.#decoder = new Decoder(settings.profile);
    const sports = new Sports();
    const mirror = new Mirror(bookPerspectiveOf(settings.profile));
    mirror.applyFeed('up', 1);
    for (const game of GAMES) mirror.applyGame(gameMessage(game), 1, 0, { sentAt: 0 });
    const { risk, instance } = settings.orders;
    this.account = new Account({ ...settings, instance, editKeepsId: settings.profile.editKeepsId });
    // the player mode is not under test here
    this.account.fills.applyModeSure(Number.POSITIVE_INFINITY);
    this.reconciliation = new Reconciliation(this.account, mirror, { ...settings, instance });
    this.manager = new OrderManager(
      this.account,
      { ...settings.orders, playerMode: settings.playerMode, batchErrors: settings.profile },
      {
        nextRequest: buffer.nextRequest,
        send: buffer.send,
        raise: () => undefined,
        alert: buffer.alert,
        wall: () => buffer.t,
        gameOf: (id) => mirror.games.get(id)?.game,
        ruleOf: (id) => sports.sportOf(mirror.games.get(id)?.game).rule,
        balance: () => undefined,
        askBalance: () => undefined,
      },
    );
    const { account, manager, reconciliation } = this;
    const market = new MarketData(
      buffer,
      mirror,
      { account, manager, headerChanged: () => undefined },
      settings.markets,
      {
        ...settings,
        staleAfterMs: risk.staleAfterMs,
      },
    );
    this.#replies = {
      account,
      manager,
      market,
      reconciliation,
      mode: new PlayerModeWatch(settings),
      playerMode: settings.playerMode,
      closing: new Closing(buffer, manager, account, settings),
      former: { applyAnswer: () => undefined },
      bothFeedsUpSince: () => this.upSince,
    };
    this.#mirror = mirror;
  }

  /** One step, in the order of the core: the input, housekeeping, targets, plan. */
  step(now: number, act: () => void): readonly Command[] {
    this.seq += 1;
    this.#buffer.beginStep({ seq: this.seq, t: WALL + now, mono: now });
    this.account.beginStep(now);
    this.reconciliation.beginStep(now);
    act();
    if (now >= this.#nextHousekeepingAt) {
      this.#nextHousekeepingAt = now + STEP_MS;
      this.account.housekeep();
    }
    this.reconciliation.housekeep(true, this.manager.spent);
    this.#ask();
    this.#retarget();
    this.manager.plan(now);
    this.#ask();
    const { commands } = this.#buffer.endStep();
    this.#decoder.applyCommands(commands, now);
    return commands;
  }

  #ask(): void {
    for (const read of this.account.news.takeRequests().reads) this.#buffer.read(read);
  }

  // ——— inputs; each method is called within a step

  /** `handed`: the ids under which the earlier order rests. */
  boot(unanswered: readonly NewOrder[], handed: readonly OrderId[]): void {
    this.manager.applyBoot('run');
    this.account.fills.applyBoot('run');
    const { t } = this.#buffer;
    this.reconciliation.applyBoot(
      'run',
      {
        unanswered: unanswered.map((order) => ({ order, sentT: t })),
        resting: handed.map((orderId) => ({ orderId, order: FORMER, sentT: t })),
      },
      t,
    );
  }

  reply(reply: Omit<Extract<Received, { type: 'reply' }>, 'type'>): void {
    const input = this.#decoder.inputOf({ type: 'reply', ...reply });
    if (input.type === 'answer') applyAnswer(input, this.#buffer, this.#replies);
  }

  fail(req: number, failure: Extract<Input, { type: 'failure' }>['failure']): void {
    applyFailure({ type: 'failure', req, failure, detail: failure }, this.#buffer, this.#replies);
  }

  position(payload: string): void {
    const parsed = parsePositionUpdate(payload);
    if (!parsed.ok) throw new Error(`the model reports nonsense: ${parsed.problem}`);
    const placed = this.#mirror.placeOf(parsed.value.gameId, parsed.value.place);
    if (!recordEvent(this.account, parsed.value, placed, this.#buffer.now))
      this.reconciliation.applyUnknownOrder(parsed.value);
  }

  feed(isUp: boolean): void {
    this.upSince = isUp ? this.#buffer.now : undefined;
    if (isUp) this.reconciliation.ask();
  }

  cancelAll(): void {
    this.manager.cancelAll(this.#buffer.now);
    this.reconciliation.ask();
  }

  /** An intent replaces the earlier one of the same strategy and market. */
  intend(strategy: StrategyId, market: Market, quotes: QuoteIntent['quotes']): void {
    const intents = this.#intents.get(market.id) ?? new Map<StrategyId, HeldIntent>();
    intents.set(strategy, { strategy, intent: { market: market.id, quotes }, seq: this.seq, isWithdrawn: false });
    this.#intents.set(market.id, intents);
    this.#changed.add(market);
  }

  #retarget(): void {
    const { account } = this;
    for (const market of account.touched) this.#changed.add(market);
    account.touched.clear();
    for (const market of this.#changed) {
      const intents = this.#intents.get(market.id);
      const held = STRATEGIES.flatMap((strategy) => {
        const heldIntent = intents?.get(strategy);
        return heldIntent === undefined ? [] : [heldIntent];
      });
      const targets = targetsOf(held, {
        market,
        others: NO_OTHERS,
        freshness: FRESH,
        reference: undefined,
        limits: this.#settings.orders.risk,
        oddsStep: this.#settings.profile.oddsStep,
        live: account.activeIn(market.id),
        former: [],
        closed: undefined,
        denialOf: () => undefined,
        mostPayout: undefined,
      });
      this.manager.setTargets(market.id, targets, intents ?? new Map());
      this.manager.refresh(market.id, this.#buffer.now);
    }
    this.#changed.clear();
  }
}
