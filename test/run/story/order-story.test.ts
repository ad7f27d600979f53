// The stories of all orders of a run together tell what the bot and the exchange counted.
import { describe, expect, it } from 'vitest';
import { VirtualRun } from '../../../src/backtest/virtual-run.ts';
import type { Command, GameId, Arrival, NewOrder, OrderRef, Why } from '../../../src/domain/index.ts';
import { centsOfDollars, market, rungOf, toOdds } from '../../../src/domain/index.ts';
import { WindowLedger } from '../../../src/exchange/index.ts';
import { faultPlanSchema, InProcessExchange } from '../../../src/paper/index.ts';
import { createRandom } from '../../../src/domain/random.ts';
import { BelievedOrders } from '../../../src/run/story/believed-orders.ts';
import type { JournalStep } from '../../../src/journal/journal-reader.ts';
import { OrderIndex } from '../../../src/run/story/order-index.ts';
import { OrderStory } from '../../../src/run/story/order-story.ts';
import type { Story } from '../../../src/run/story/story.ts';
import type { WireProfile } from '../../../src/wire/index.ts';
import { DEFAULT_PROFILE } from '../../../src/wire/index.ts';
import { coreSettings, teams } from '../../support/core-driver.ts';

const START = Date.parse('2030-01-01T00:00:00Z');
const LATE_ARRIVAL_MS = 8000;
const UNSETTLED = ['sending', 'open', 'moving', 'cancelling', 'unknown'];
const SENT = ['place', 'edit', 'cancel'];

type Run = {
  readonly stories: readonly Story[];
  readonly status: ReturnType<VirtualRun['status']>;
  /** What the exchange counted. */
  readonly fills: number;
};

function run(seed: number, rules: readonly unknown[], profile: WireProfile = DEFAULT_PROFILE): Run {
  const exchange = new InProcessExchange({
    startMs: START,
    traders: 'synthetic',
    games: 2,
    seed,
    profile,
    accounts: [{ username: 'bot', password: 'secret' }],
    ping: { intervalMs: 500, timeoutMs: 2000 },
  });
  const latency = createRandom(seed, 'latency');
  const window = (requests: number, windowMs: number): WindowLedger =>
    new WindowLedger({ requests, windowMs, marginMs: 20 });
  const steps: JournalStep[] = [];
  const bot = new VirtualRun({
    exchange,
    settings: coreSettings({ lateArrivalMs: LATE_ARRIVAL_MS, profile }),
    run: 'r',
    door: {
      username: 'bot',
      password: 'secret',
      playerMode: 'coins',
      profile,
      startTimeoutMs: 60_000,
      requestTimeoutMs: 2000,
      lateArrivalMs: LATE_ARRIVAL_MS,
      expirationMinutes: undefined,
      windows: { place: window(25, 5000), cancel: window(30, 2000), read: window(10, 1000) },
      latency: () => latency.between(5, 60),
    },
    // as a journal gives it back
    record: ({ arrival: input, commands }) =>
      steps.push(JSON.parse(JSON.stringify({ input, commands })) as JournalStep),
  });
  bot.start();
  exchange.world.exchange.setFaults(faultPlanSchema.parse({ seed, rules }));
  exchange.advanceTo(START + 40_000);
  bot.stop();
  exchange.advanceTo(START + 40_000 + LATE_ARRIVAL_MS + 10_000);
  const index = new OrderIndex();
  for (const step of steps) index.applyStep(step);
  const settings = coreSettings({ lateArrivalMs: LATE_ARRIVAL_MS, profile });
  const stories = storiesOf(steps, index, settings);
  const fills = exchange.world.venue.accounts.get('bot')?.fills ?? 0;
  return { stories, status: bot.status(), fills };
}

const sum = (stories: readonly Story[], of: (story: Story) => number): number =>
  stories.reduce((total, story) => total + of(story), 0);

describe.each<[string, readonly unknown[], Partial<WireProfile>]>([
  ['nothing goes wrong', [], {}],
  ['answers are lost', [{ fault: 'no-answer', on: SENT, rate: 0.08 }], {}],
  [
    'answers are late, and some requests never arrive',
    [
      { fault: 'delay', on: SENT, rate: 0.1, side: 'after', by: { min: 2500, max: 6000 } },
      { fault: 'no-answer', on: SENT, rate: 0.05, acted: false },
    ],
    {},
  ],
  [
    'the exchange refuses and cancels',
    [
      { fault: 'status', on: SENT, status: 429, rate: 0.1 },
      { fault: 'cancel-order', orders: 2, every: '2s' },
    ],
    {},
  ],
  ['edits keep the id', [], { editKeepsId: true }],
  ['edits keep the id, and answers are lost', [{ fault: 'no-answer', on: SENT, rate: 0.08 }], { editKeepsId: true }],
  [
    'everything answers 500 at times, and doubled events come after drops of the feeds',
    [
      { fault: 'status', on: SENT, status: 500, rate: 0.08, acted: true },
      { fault: 'disconnect', every: { min: 6000, max: 12_000 } },
      { fault: 'duplicate', rate: 0.1 },
    ],
    {},
  ],
])('when %s', (_name, rules, profile) => {
  it.each([1, 2, 3])('every order has one story, and together they are the run: seed %d', (seed) => {
    const { stories, status, fills } = run(seed, rules, { ...DEFAULT_PROFILE, ...profile });
    expect(stories.length).toBeGreaterThan(40);
    const told = {
      fills: sum(stories, ({ outcome }) => outcome.fills),
      riskFilled: sum(stories, ({ outcome }) => outcome.filled),
      refused: stories.filter(({ outcome }) => outcome.status === 'refused').length,
      rested: stories.filter(({ outcome }) => outcome.restedMs !== undefined).length,
    };
    expect(told).toEqual({
      fills: status.fills,
      riskFilled: expect.closeTo(status.riskFilled, 4) as number,
      refused: status.refused,
      rested: status.placed + status.edited,
    });
    expect(told.fills).toBe(fills);
    const open = stories.filter(({ outcome: { status: end } }) => UNSETTLED.includes(end)).length;
    expect(open).toBeLessThanOrEqual(status.openOrders);
    const cancelled = stories.filter(({ outcome }) => outcome.endedBy === 'cancel').length;
    // the bot counts as its own whatever ends cancelled after it asked once, though the exchange said no then
    if (rules.length === 0) expect(cancelled).toBe(status.cancelled);
    else expect(cancelled).toBeLessThanOrEqual(status.cancelled + status.undetermined);
    expect(cancelled).toBeGreaterThan(10);
    for (const { order, events } of stories) {
      const [first] = events.filter(({ type }) => type === 'request');
      expect(order).toMatchObject({ ofThisRun: true, ref: expect.any(String) as string });
      expect(first).toMatchObject({ role: 'new', ms: 0 });
      expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).sort((a, b) => a - b));
      expect(events.some(({ type }) => type === 'intent')).toBe(true);
      expect(events.some(({ type }) => type === 'permit')).toBe(true);
    }
  });
});

/** All of them beside one account. */
function storiesOf(
  steps: readonly JournalStep[],
  index: OrderIndex,
  settings: ReturnType<typeof coreSettings>,
): readonly Story[] {
  const account = new BelievedOrders(settings);
  const stories = index.orders.map((order) => ({
    order,
    story: new OrderStory(order, index, settings.profile),
  }));
  for (const step of steps) {
    account.applyInput(step.input);
    const heard = stories.map(({ order }) => account.of(order));
    account.applyCommands(step.commands);
    for (const [at, { order, story }] of stories.entries()) story.applyStep(step, heard[at], account.of(order));
  }
  return stories.map(({ story }) => story.end());
}

describe('what a journal tells only in passing', () => {
  const MARKET = market('game-1' as GameId, 'total', 210.5);
  const order = (ref: string): NewOrder => ({
    ref: ref as OrderRef,
    market: MARKET,
    side: 'under',
    rung: rungOf(toOdds(110) ?? (0 as never)),
    risk: centsOfDollars(50),
  });
  const why: Why = { cause: 'empty', intent: 1, value: 500_000, waitedMs: 0, over: 'wait', because: 'b' };
  const steps = (...given: readonly (readonly [Arrival, ...(readonly Command[])])[]): JournalStep[] =>
    given.map(([input, ...commands], index) => ({
      input: { seq: index + 1, t: START + index * 1000, mono: index * 1000, in: input },
      commands,
    }));
  const tick: Arrival = { type: 'tick' };
  const place = (req: number, ...refs: readonly string[]): Command => ({
    type: 'place',
    req,
    permit: req,
    orders: refs.map(order),
    why: refs.map(() => why),
  });
  function told(steps: readonly JournalStep[]): readonly Story[] {
    const index = new OrderIndex();
    for (const step of steps) index.applyStep(step);
    return storiesOf(steps, index, coreSettings());
  }
  const position = (orderID: string, more: object): Arrival => ({
    type: 'frame',
    feed: 'user',
    epoch: 1,
    event: 'positionUpdate',
    data: JSON.stringify({
      gameID: 'game-1',
      matched: null,
      unmatched: { orderID, odds: 110, offered: 50, filled: 0, remaining: 50, type: 'total', ...more },
    }),
  });

  const GAME = JSON.stringify({
    id: 'game-1',
    league: 'NBA',
    start: '2030-01-01T02:00:00Z',
    participants: teams,
  });

  it('an id and a reference that only an alert names together are one order, fills before it included', () => {
    const stories = told(
      steps(
        [{ type: 'feed', feed: 'prices', status: 'up', epoch: 1 }],
        [{ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: GAME }],
        [tick, place(1, 'a.main.k.r-1')],
        [{ type: 'failure', req: 1, failure: 'no-answer', detail: 'reset' }],
        [position('x1', { side: 'under', number: 210.5 })],
        [
          tick,
          {
            type: 'alert',
            level: 'info',
            code: 'SEEN',
            message: 'seen',
            fields: { ref: 'a.main.k.r-1', orderId: 'x1' },
          },
        ],
        [position('x1', { offered: 0, remaining: 0 })],
      ),
    );
    expect(stories).toHaveLength(1);
    expect(stories[0]?.order).toMatchObject({ ref: 'a.main.k.r-1', orderIds: ['x1'] });
    expect(stories[0]?.events.flatMap(({ type }) => (type === 'belief' ? [] : [type]))).toEqual([
      'intent',
      'request',
      'failure',
      'position',
      'alert',
      'position',
    ]);
    expect(stories[0]?.outcome).toMatchObject({ status: 'cancelled', endedBy: 'exchange', restedMs: 2000 });
  });

  it('a bulk cancel is told to whom it reaches, with the reason of that order', () => {
    const league: Arrival = {
      type: 'reply',
      req: 1,
      status: 200,
      body: {
        data: {
          games: [{ id: 'game-1', league: 'NBA', eventName: 'A @ B', participants: [] }],
          pagination: { hasNextPage: false },
        },
      },
    };
    const cancelAll = (req: number, scope?: object): Command =>
      ({
        type: 'cancel-all',
        req,
        ...(scope === undefined ? {} : { scope, orderIds: ['x9', 'x1'], why: [{ ...why, because: 'another' }, why] }),
      }) as unknown as Command;
    const [first] = told(
      steps(
        [tick, { type: 'read', req: 1, read: { what: 'league', league: 'NBA', page: 1 } }],
        [league, place(2, 'a.main.k.r-1')],
        [position('x1', { userReference: 'a.main.k.r-1' })],
        [tick, cancelAll(5, { league: 'NBA' })],
        [position('x1', { offered: 0, remaining: 0 })],
        [tick, cancelAll(6)],
      ),
    );
    const bulks = first?.events.filter((event) => event.type === 'request' && event.role === 'old');
    expect(bulks).toEqual([
      expect.objectContaining({
        req: 5,
        scope: { league: 'NBA' },
        why: [{ ...why, value: 0.5 }],
      }),
    ]);
    expect(first?.order).toMatchObject({ game: 'A @ B', league: 'NBA' });
    expect(first?.outcome).toMatchObject({ status: 'cancelled', endedBy: 'cancel-all', restedMs: 2000 });
  });

  it('an order that a former run left unanswered is known from the start', () => {
    const [first] = told(
      steps(
        [{ type: 'boot', run: 'r2', unanswered: [{ order: order('a.main.k.r1-7'), sentT: START - 5000 }] }],
        [position('x1', { userReference: 'a.main.k.r1-7' })],
      ),
    );
    expect(first?.order).toMatchObject({ ofThisRun: false, risk: 50, odds: 110, orderId: 'x1' });
    expect(first?.events[0]).toMatchObject({ type: 'inherited', sentAt: '2029-12-31T23:59:55.000Z' });
    expect(first?.outcome.status).toBe('open');
  });

  it('a journal of before commands told their reasons is read all the same', () => {
    const old = { ...place(1, 'a.main.k.r-1'), why: undefined } as unknown as Command;
    const [first] = told(steps([{ type: 'permit', bucket: 'place', permit: 1 }], [tick, old]));
    expect(first?.events.flatMap(({ type }) => (type === 'belief' ? [] : [type]))).toEqual(['permit', 'request']);
    expect(first?.events[1]).toMatchObject({ why: [], heldMs: 1000 });
  });
});
