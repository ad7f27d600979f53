// The stories of all orders of a run add up to the counts of the bot and of the exchange.
import { describe, expect, it } from 'vitest';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import type { Arrival, Command, EventOf, MarketId, Micros, OrderId, Why } from '../../src/domain/index.ts';
import { WindowLedger } from '../../src/exchange/index.ts';
import { faultPlanSchema, InProcessExchange } from '../../src/paper/index.ts';
import { createRandom } from '../../src/domain/random.ts';
import type { RunEvent, StampedArrival } from '../../src/domain/index.ts';
import type { Story } from '../../src/run/index.ts';
import { OrderNames, OrderStory } from '../../src/run/index.ts';
import type { WireProfile } from '../../src/wire/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { coreSettings } from '../support/core-driver.ts';
import { ended, MARKET, refOf, rested, submitted } from './events.ts';

const START = Date.parse('2030-01-01T00:00:00Z');
const LATE_ARRIVAL_MS = 8000;
const UNSETTLED = ['sending', 'open', 'moving', 'cancelling', 'unknown'];
const SENT = ['place', 'edit', 'cancel'];

type Step = {
  readonly input: StampedArrival;
  readonly commands: readonly Command[];
  readonly events: readonly RunEvent[];
};

type Run = {
  readonly stories: readonly Story[];
  readonly status: ReturnType<VirtualRun['status']>;
  /** The number of fills that the exchange counted. */
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
  const steps: Step[] = [];
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
    // the step as a journal returns it
    record: ({ arrival: input, commands, events }) =>
      steps.push(JSON.parse(JSON.stringify({ input, commands, events })) as Step),
  });
  bot.start();
  exchange.world.exchange.setFaults(faultPlanSchema.parse({ seed, rules }));
  exchange.advanceTo(START + 40_000);
  bot.stop();
  exchange.advanceTo(START + 40_000 + LATE_ARRIVAL_MS + 10_000);
  const stories = storiesOf(steps, profile);
  const fills = exchange.world.venue.accounts.get('bot')?.fills ?? 0;
  return { stories, status: bot.status(), fills };
}

const sum = (stories: readonly Story[], valueOf: (story: Story) => number): number =>
  stories.reduce((total, story) => total + valueOf(story), 0);

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
  ['edits keep the order id', [], { editKeepsId: true }],
  [
    'edits keep the order id and answers are lost',
    [{ fault: 'no-answer', on: SENT, rate: 0.08 }],
    { editKeepsId: true },
  ],
  [
    'requests fail with 500 at times, and feeds drop and repeat events',
    [
      { fault: 'status', on: SENT, status: 500, rate: 0.08, acted: true },
      { fault: 'disconnect', every: { min: 6000, max: 12_000 } },
      { fault: 'duplicate', rate: 0.1 },
    ],
    {},
  ],
])('the order stories of a run when %s', (_name, rules, profile) => {
  it.each([1, 2, 3])('are one for each order and add up to the counts of the run (seed %d)', (seed) => {
    const { stories, status, fills } = run(seed, rules, { ...DEFAULT_PROFILE, ...profile });
    expect(stories.length).toBeGreaterThan(40);
    const totals = {
      fills: sum(stories, ({ outcome }) => outcome.fills),
      riskFilled: sum(stories, ({ outcome }) => outcome.filled),
      refused: stories.filter(({ outcome }) => outcome.status === 'refused').length,
      rested: stories.filter(({ outcome }) => outcome.restedMs !== undefined).length,
    };
    expect(totals).toEqual({
      fills: status.fills,
      riskFilled: expect.closeTo(status.riskFilled, 4) as number,
      refused: status.refused,
      rested: status.placed + status.edited,
    });
    expect(totals.fills).toBe(fills);
    const open = stories.filter(({ outcome: { status: end } }) => UNSETTLED.includes(end)).length;
    expect(open).toBeLessThanOrEqual(status.openOrders);
    const cancelled = stories.filter(({ outcome }) => outcome.endedBy === 'cancel').length;
    // the bot counts each order that ends cancelled after one own cancel request, though the exchange refused
    // that request
    if (rules.length === 0) expect(cancelled).toBe(status.cancelled);
    else expect(cancelled).toBeLessThanOrEqual(status.cancelled + status.undetermined);
    expect(cancelled).toBeGreaterThan(10);
    for (const { order, events } of stories) {
      const [first] = events.filter(({ type }) => type === 'OrderSubmitted');
      expect(order).toMatchObject({ ofThisRun: true, ref: expect.any(String) as string });
      expect(first).toMatchObject({ ref: order.ref, ms: 0 });
      expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).sort((a, b) => a - b));
      expect(events.some(({ type }) => type === 'IntentBrought')).toBe(true);
      expect(events.some(({ type }) => type === 'PermitGranted')).toBe(true);
    }
  });
});

function storiesOf(steps: readonly Step[], profile: WireProfile = DEFAULT_PROFILE): readonly Story[] {
  const names = new OrderNames();
  for (const { input, events, commands } of steps) names.applyStep(input, events, commands);
  return names.orders.map((order) => {
    const story = new OrderStory(order, names, profile);
    for (const { input, events } of steps) story.applyStep(input, events);
    return story.finish();
  });
}

describe('an order story', () => {
  const steps = (...given: readonly (readonly [Arrival, ...(readonly RunEvent[])])[]): Step[] =>
    given.map(([input, ...events], index) => ({
      input: { seq: index + 1, t: START + index * 1000, mono: index * 1000, in: input },
      commands: [],
      events,
    }));
  const tick: Arrival = { type: 'tick' };
  const why: Why = { cause: 'empty', intent: 1, value: 500_000, waitedMs: 0, over: 'wait', because: 'b' };
  const id = (text: string): OrderId => text as OrderId;

  it('joins an order id and a reference that only an alert names together', () => {
    const seen: RunEvent = {
      type: 'Alert',
      level: 'info',
      code: 'SEEN',
      message: 'seen',
      fields: { ref: refOf(1), orderId: 'x1' },
    };
    const stories = storiesOf(
      steps([tick, submitted(1)], [tick, seen], [tick, rested(1)], [tick, ended(1, 'exchange')]),
    );
    expect(stories).toHaveLength(1);
    expect(stories[0]?.order).toMatchObject({ ref: refOf(1), orderIds: ['x1'] });
    expect(stories[0]?.outcome).toMatchObject({ status: 'cancelled', endedBy: 'exchange', restedMs: 1000 });
  });

  it('has a bulk cancel that reaches its order, with the reason for this order only', () => {
    const started: RunEvent = {
      type: 'QuotingStarted',
      market: MARKET,
      game: { league: 'NBA', sport: 'basketball', name: 'A @ B', start: START, live: false },
    };
    const cancel = (request: number, changes: Partial<EventOf<'CancelSubmitted'>>): RunEvent => ({
      type: 'CancelSubmitted',
      request,
      orders: [],
      ...changes,
    });
    const [story] = storiesOf(
      steps(
        [tick, started, submitted(1, { why })],
        [tick, rested(1, { orderId: id('x1') })],
        [tick, cancel(4, { scope: { league: 'NHL' } })],
        [
          tick,
          cancel(5, {
            scope: { league: 'NBA' },
            orders: [
              { orderId: id('x9'), why: { ...why, because: 'another' } },
              { orderId: id('x1'), why },
            ],
          }),
        ],
        [tick, ended(1, 'cancel-all')],
        [tick, cancel(6, { scope: 'account' })],
      ),
    );
    expect(story?.events.filter(({ type }) => type === 'CancelSubmitted')).toEqual([
      expect.objectContaining({ request: 5, orders: [{ orderId: 'x1', why }] }),
    ]);
    expect(story?.order).toMatchObject({ game: 'A @ B', league: 'NBA' });
    expect(story?.outcome).toMatchObject({ status: 'cancelled', endedBy: 'cancel-all', restedMs: 3000 });
  });

  it('ends at an edit, and a new one begins, though the edit keeps the order id', () => {
    const stories = storiesOf(
      steps(
        [tick, submitted(1), { ...accepted(1, 'x1') }],
        [tick, rested(1, { orderId: id('x1') })],
        [tick, submitted(2, { replaces: id('x1'), request: 2 })],
        [tick, accepted(2, 'x1'), ended(1, 'edit'), rested(2, { orderId: id('x1') })],
        [tick, { type: 'CancelSubmitted', request: 3, orders: [{ orderId: id('x1'), why }] }],
        [tick, ended(2)],
      ),
    );
    expect(stories.map(({ outcome }) => outcome.endedBy)).toEqual(['edit', 'cancel']);
    expect(stories[0]?.order.replacedBy).toEqual({ ref: refOf(2), orderId: 'x1' });
    expect(stories[0]?.events.some(({ type }) => type === 'CancelSubmitted')).toBe(false);
    expect(stories[1]?.events.some(({ type }) => type === 'CancelSubmitted')).toBe(true);
  });

  it('has the name of the order’s own game when other games are quoted too', () => {
    const quoting = (market: string, name: string): RunEvent => ({
      type: 'QuotingStarted',
      market: market as MarketId,
      game: { league: 'NBA', sport: 'basketball', name, start: START, live: false },
    });
    const [story] = storiesOf(
      steps([tick, quoting(MARKET, 'A @ B'), submitted(1)], [tick, quoting('g2/moneyline', 'C @ D')]),
    );
    expect(story?.order.game).toBe('A @ B');
  });

  it('has the records of the intents that caused the request and the cancel', () => {
    const command: Arrival = { type: 'operator', command: 'pause' };
    const [story] = storiesOf(
      steps(
        [command, submitted(1, { why }), rested(1, { orderId: id('x1') })],
        [command],
        [tick, { type: 'CancelSubmitted', request: 3, orders: [{ orderId: id('x1'), why: { ...why, intent: 2 } }] }],
      ),
    );
    expect(story?.events.flatMap(({ type, seq }) => (type === 'IntentBrought' ? [seq] : []))).toEqual([1, 2]);
  });

  it('knows an order that an earlier run left unanswered from the start', () => {
    const { ref, market, side, odds, risk } = submitted(7);
    const inherited: RunEvent = {
      type: 'OrderInherited',
      orderId: undefined,
      sentAt: START - 5000,
      ...{ ref, market, side, odds, risk },
    };
    const [story] = storiesOf(steps([tick, inherited], [tick, rested(7, { orderId: id('x1') })]));
    expect(story?.order).toMatchObject({ ofThisRun: false, risk: 50, odds: 105, orderId: 'x1' });
    expect(story?.outcome.status).toBe('open');
  });

  it('has an unknown fate after the order is revived, until evidence settles it', () => {
    const back: readonly RunEvent[] = [{ type: 'OrderRevived', ref: refOf(1) }];
    const before = steps([tick, submitted(1)], [tick, rested(1)], [tick, ended(1)], [tick, ...back]);
    expect(storiesOf(before)[0]?.outcome).toMatchObject({ status: 'unknown', restedMs: 2000 });
    const evidence: RunEvent = {
      type: 'Evidence',
      ref: refOf(1),
      orderId: undefined,
      from: 'list',
      says: 'resting',
      status: 'open',
      filled: 0 as Micros,
      mayFill: 0 as Micros,
    };
    const after = [...before, ...steps([tick], [tick], [tick], [tick], [tick, evidence]).slice(4)];
    expect(storiesOf(after)[0]?.outcome).toMatchObject({ status: 'open', restedMs: 3000 });
  });
});

const accepted = (n: number, orderId: string): EventOf<'OrderAccepted'> => ({
  type: 'OrderAccepted',
  ref: refOf(n),
  request: n,
  status: 200,
  latencyMs: 10,
  orderId: orderId as OrderId,
});
