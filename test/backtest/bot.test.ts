// A whole bot on tapes written by hand. The strategy quotes by a plan, so that each fill follows from times
// and latencies that can be added up on paper. The strategy acts on views, and only a frame brings a view:
// `nudge` writes such a frame.
import { debounceTime, map, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BacktestOptions, ScenarioRun } from '../../src/backtest/scenario-types.ts';
import { runScenario } from '../../src/backtest/run-scenario.ts';
import { fillsCsv, marketsCsv } from '../../src/backtest/csv.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import { PriceFeed } from '../../src/backtest/price-feed.ts';
import { vanishedIn } from '../../src/backtest/scenarios.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import type { GameId, MarketType, Side, QuoteIntent } from '../../src/domain/index.ts';
import { centsOfDollars, microsOfDollars, toOdds } from '../../src/domain/index.ts';
import { InProcessExchange } from '../../src/paper/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import type { MarketView, Strategy } from '../../src/strategy/index.ts';
import { backtestSettings } from '../../src/setup/core-settings.ts';
import type { CoreSettings } from '../../src/engine/index.ts';
import type { Overrides } from '../support/core-driver.ts';
import { coreSettings } from '../support/core-driver.ts';
import { doorSettings } from '../support/door-settings.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import type { Row } from './made-tape.ts';
import { timeAt, GAME, MadeTape, START_S } from './made-tape.ts';

/** From second `from` on the bot wants these quotes and no others. */
type Plan = readonly {
  readonly from: number;
  readonly quotes: readonly {
    readonly type?: MarketType;
    readonly side: Side;
    readonly odds: number;
    readonly risk: number;
    /** The key of the quote's slot. By default each price has its own slot. */
    readonly key?: string;
  }[];
}[];

const planned = defineStrategy({
  name: 'planned',
  params: z.custom<Plan>(),
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(
        map(({ market, time }) => ({
          market: market.id,
          quotes: (params.findLast(({ from }) => timeAt(from) <= time)?.quotes ?? []).flatMap((quote) => {
            const odds = toOdds(quote.odds);
            if ((quote.type ?? 'moneyline') !== market.type || odds === undefined) return [];
            return [{ side: quote.side, odds, risk: centsOfDollars(quote.risk), key: quote.key ?? `${odds}` }];
          }),
        })),
      ),
});

const settingsFor = (plan: Plan, overrides: Overrides = {}): CoreSettings =>
  backtestSettings(coreSettings(overrides, planned, plan));

const WINDOW = { requests: 25, windowMs: 5000, marginMs: 20 };

async function backtest(
  tape: MadeTape | readonly MadeTape[],
  plan: Plan,
  oneWayMs: number,
  options: Partial<BacktestOptions> = {},
): Promise<ScenarioRun> {
  const source = new MarketSource(
    [tape].flat().map((recording) => {
      const file = recording.write();
      return { name: file, batches: decodeTape(file, { skipped: undefined }) };
    }),
  );
  return runScenario(source, {
    settings: settingsFor(plan),
    windows: { place: WINDOW, cancel: { ...WINDOW, requests: 30, windowMs: 2000 }, read: WINDOW },
    requestTimeoutMs: 5000,
    expirationMinutes: undefined,
    latency: { kind: 'even', ms: oneWayMs, spreadMs: 0 },
    seed: 1,
    fills: 'pessimistic',
    calibrated: { share: 0.5 },
    fromMs: undefined,
    toMs: undefined,
    results: undefined,
    ...options,
  });
}

type LimitedRun = {
  readonly fillsBy: (seconds: number) => number;
  readonly statuses: ReadonlyMap<number, number>;
};

/** Runs the bot on an exchange that allows fewer place requests than the bot assumes. Latency is 0. */
async function withExchangeLimits(
  tape: MadeTape,
  plan: Plan,
  place: { readonly requests: number; readonly windowMs: number },
): Promise<LimitedRun> {
  const account = { username: 'bot', password: 'secret' };
  const settings = settingsFor(plan);
  const exchange = new InProcessExchange({
    startMs: timeAt(0),
    leaps: true,
    traders: 'tape',
    limits: { place, cancel: { requests: 30, windowMs: 2000 } },
    accounts: [{ ...account, coins: 10_000, mode: 'coins' }],
  });
  const latency = (): number => 0;
  const feed = new PriceFeed(exchange, vanishedIn('pessimistic', { share: 0 }, 1), latency);
  const run: VirtualRun = new VirtualRun({
    exchange,
    settings,
    run: 'limited',
    tapes: { prices$: feed.inputs$ },
    onLogin: () => feed.openFeed(),
    door: {
      ...doorSettings(account, settings, { place: WINDOW, cancel: WINDOW, read: WINDOW }),
      latency,
      book: (read) => feed.read(read),
    },
  });
  const fillTimes: number[] = [];
  let begun = false;
  for await (const events of decodeTape(tape.write(), { skipped: undefined })) {
    for (const event of events) {
      exchange.advanceTo(event.ts);
      feed.applyEvent(event, false);
      if (!begun) run.start();
      begun = true;
      // an event without latency takes effect at once
      exchange.advanceTo(event.ts);
      while (fillTimes.length < run.status().fills) fillTimes.push(event.ts);
    }
  }
  return {
    fillsBy: (seconds) => fillTimes.filter((time) => time <= timeAt(seconds)).length,
    statuses: run.door.statuses,
  };
}

/** An offer of 200 at +110. HOME and AWAY have one each. */
const deep = (id: string, left = 200): Row => ({ id, odds: 110, risk: 200, left });
const market = (header: ConstructorParameters<typeof MadeTape>[0] = {}): MadeTape =>
  new MadeTape(header)
    .game(0)
    .side(0, 'home', [deep('h')])
    .side(0, 'away', [deep('a')]);
/** A frame that brings a view and changes no price that matters. */
const nudge = (tape: MadeTape, seconds: number): MadeTape =>
  tape.side(seconds, 'away', [deep('a'), { id: `nudge${seconds}`, odds: 150, risk: 1 }]);

const filled = ({ result }: ScenarioRun): number => result.riskFilled;
/**
 * The own quote at +105 ranks before +110: a take of `h` fills it first. A stake of 22 takes all 20 of it.
 */
const HOME_105 = { side: 'home', odds: 105, risk: 20 } as const;

describe('an order in a backtest', () => {
  const plan = [{ from: 20, quotes: [HOME_105] }];

  it('stays on its team when home and away are swapped while it is on its way', async () => {
    const swapped = [
      { id: 'made-away', longName: 'Ravens', shortName: 'RAV', homeAway: 'home' },
      { id: 'made-home', longName: 'Otters', shortName: 'OTT', homeAway: 'away' },
    ];
    const tape = nudge(market(), 20).game(20.15, { participants: swapped });
    const { orders } = await backtest(nudge(tape, 60), plan, 100, { keepsOrders: true });
    // the bot sent it as HOME, before it received the swap
    expect(orders?.[0]).toMatchObject({ fromMs: timeAt(20.2), side: 'away' });
  });

  it('has a row in the order list even when it reaches the exchange after the bot gave it up', async () => {
    const latency = { kind: 'measured', ms: [...new Array<number>(12).fill(50), 400_000] } as const;
    let late = 0;
    for (let seed = 1; seed <= 16; seed++) {
      const tape = nudge(nudge(market(), 20), 300).side(1000, 'home', [deep('h', 150)]);
      const { fills, orders = [] } = await backtest(nudge(tape, 1100), plan, 0, { latency, seed, keepsOrders: true });
      const rows = new Map(orders.map(({ ref, fromMs }) => [ref, fromMs]));
      for (const { ref = '' } of fills) {
        expect(rows.has(ref)).toBe(true);
        if ((rows.get(ref) ?? 0) > timeAt(400)) late += 1;
      }
    }
    expect(late).toBeGreaterThan(0);
  });

  it('ends as "edited" when an edit keeps its id', async () => {
    const moved = [
      { from: 20, quotes: [{ ...HOME_105, odds: 108, key: 'one' }] },
      { from: 30, quotes: [{ ...HOME_105, key: 'one' }] },
    ];
    const profile = { ...DEFAULT_PROFILE, editKeepsId: true };
    const { orders } = await backtest(nudge(nudge(nudge(market(), 20), 30), 60), moved, 100, {
      settings: settingsFor(moved, { profile }),
      keepsOrders: true,
    });
    expect(orders?.map(({ end, fromMs }) => [end, fromMs])).toEqual([
      ['edited', timeAt(20.2)],
      ['cancelled', timeAt(30.2)],
    ]);
  });
});

describe('a backtest with latency', () => {
  // The bot sees the frame of second 20 one latency later. Its order arrives another latency later.
  const plan = [{ from: 20, quotes: [HOME_105] }];
  // 20 at +110: a stake of 22
  const taken = (seconds: number): MadeTape => nudge(market(), 20).side(seconds, 'home', [deep('h', 180)]);

  it('fills an order that arrives before a take: the bot sees the frame at 20.1 s and the order rests at 20.2 s', async () => {
    const run = await backtest(taken(20.25), plan, 100);
    // a stake of 22 could take 20.95 at +105
    expect(run.result).toMatchObject({ fills: 1, riskFilled: 20, orders: { placed: 1 } });
  });

  it('does not fill an order that a take overtakes: the take at 20.15 s is before the arrival at 20.2 s', async () => {
    const run = await backtest(taken(20.15), plan, 100);
    expect(run.result).toMatchObject({ fills: 0, riskFilled: 0, orders: { placed: 1 } });
    // with half the latency it is there in time: seen at 20.05, resting at 20.1
    expect(filled(await backtest(taken(20.15), plan, 50))).toBe(20);
  });

  it('fills an order whose cancel is still on its way', async () => {
    const withdrawn = [...plan, { from: 40, quotes: [] }];
    const pulled = (seconds: number): MadeTape =>
      nudge(nudge(market(), 20), 40).side(seconds, 'home', [deep('h', 180)]);
    // seen at 40.1, cancelled at 40.2
    expect((await backtest(pulled(40.15), withdrawn, 100)).result).toMatchObject({
      riskFilled: 20,
      orders: { placed: 1, cancelled: 0 },
    });
    expect((await backtest(pulled(40.25), withdrawn, 100)).result).toMatchObject({
      riskFilled: 0,
      orders: { placed: 1, cancelled: 1 },
    });
    // with half the latency it is cancelled in time
    expect(filled(await backtest(pulled(40.15), withdrawn, 50))).toBe(0);
  });

  it('gives the same result each time for the same seed', async () => {
    const drawn = { latency: { kind: 'even', ms: 80, spreadMs: 60 }, seed: 7 } as const;
    const once = await backtest(taken(20.15), plan, 0, drawn);
    expect(await backtest(taken(20.15), plan, 0, drawn)).toEqual(once);
  });
});

describe('the fills of a backtest', () => {
  const name = 'Ravens, Inc. @ "Otters"';
  const tape = (eventName = name): MadeTape =>
    nudge(
      new MadeTape()
        .game(0, { eventName })
        .side(0, 'home', [deep('h')])
        .side(0, 'away', [deep('a')]),
      20,
    )
      .side(20.25, 'home', [deep('h', 180)])
      .side(80, 'away', [deep('a', 100)])
      .side(81, 'away', [deep('a', 10)]);
  const plan = [{ from: 20, quotes: [HOME_105] }];

  it('are listed, each with the fair price of the recorded book at the fill and a minute later', async () => {
    const { fills, markets, result } = await backtest(tape(), plan, 100);
    // both best offers are at +110, so q = 1/2.1; payouts of 180 and 200 (then 100) of stake weigh them
    const fair = (away: number): number => (1 / 2.1) * (away / (180 + away)) + (1.1 / 2.1) * (180 / (180 + away));
    expect(fills).toMatchObject([
      { t: timeAt(20.25), side: 'home', odds: 105, risk: 20_000_000, payout: 41_000_000, eventName: name },
    ]);
    expect(fills[0]?.mark).toBeCloseTo(fair(200), 10);
    expect(fills[0]?.markLater).toBeCloseTo(fair(100), 10);
    const edge = (p: number): number => p * 21 - (1 - p) * 20;
    expect(result.pnl.edge.fills).toBe(1);
    expect(result.pnl.edge.atFill).toBeCloseTo(edge(fair(200)), 2);
    expect(result.pnl.edge.after60s).toBeCloseTo(edge(fair(100)), 2);
    expect(markets).toMatchObject([
      {
        eventName: name,
        fills: 1,
        riskFilled: 20_000_000,
        position: { first: 21_000_000, second: -20_000_000 },
      },
    ]);
    expect((markets[0]?.marked ?? 0) / 1e6).toBeCloseTo(result.pnl.marked, 2);
    expect(markets[0]?.settled).toBeUndefined();
  });

  it('by a take that emptied a side are marked by the book before the take', async () => {
    // the take leaves no offer on HOME: the book has one side
    const emptied = nudge(market(), 20)
      .side(20.25, 'home', [])
      .side(30, 'home', [deep('h2')]);
    const { fills, result } = await backtest(emptied, plan, 100, { fills: 'optimistic' });
    // both sides had 200 at the same price
    expect(fills).toMatchObject([{ mark: 0.5 }]);
    expect(fills[0]?.markLater).toBeGreaterThan(0.4);
    expect(result.pnl.edge.fills).toBe(1);
  });

  it('of an edit that crosses on arrival are marked by the book of that time, however long the tape is silent', async () => {
    const moved = nudge(nudge(market(), 20), 30)
      // the eager offer arrives while the edit is on its way, and the edit takes it
      .side(30.15, 'away', [{ id: 'eager', odds: -106, risk: 10 }, deep('a')])
      .side(800, 'home', [{ id: 'far', odds: -400, risk: 1000 }])
      .side(800, 'away', [{ id: 'far too', odds: 400, risk: 250 }]);
    const { fills } = await backtest(
      moved,
      [
        { from: 20, quotes: [{ ...HOME_105, odds: 108, key: 'one' }] },
        { from: 30, quotes: [{ ...HOME_105, key: 'one' }] },
      ],
      100,
    );
    // without the eager offer both sides have 200 at +110 again
    expect(fills).toMatchObject([{ t: timeAt(30.2), odds: 106, mark: 0.5, markLater: 0.5 }]);
  });

  it('are settled market by market when the score is known', async () => {
    const results = new Map([[GAME as GameId, { home: 90, away: 80 }]]);
    const { markets, result } = await backtest(tape(), plan, 100, { results });
    expect(markets[0]?.settled).toBe(21_000_000);
    expect(result.pnl.settled).toBe(21);
  });

  it('are settled as soon as their game has ended, and bind no more risk', async () => {
    const results = new Map([[GAME as GameId, { home: 90, away: 80 }]]);
    const ended = tape().game(90, { ended: true });
    nudge(ended, 200);
    const { markets, result } = await backtest(ended, plan, 100, { results });
    // the mark equals the settled profit and no loss is possible; the table shows the position that was held
    expect(result.pnl).toMatchObject({ marked: 21, settled: 21, unsettled: [] });
    const position = { first: 21_000_000, second: -20_000_000 };
    expect(markets).toMatchObject([{ fills: 1, marked: 21_000_000, settled: 21_000_000, position }]);
    expect(result.alerts).toMatchObject({ SETTLED: 1 });
    const unscored = await backtest(ended, plan, 100, { results: new Map() });
    expect(unscored.result.pnl).toMatchObject({ settled: 0, unsettled: [GAME] });
  });

  it('are settled, too, when their game ended a day before the end of the tape', async () => {
    const results = new Map([[GAME as GameId, { home: 90, away: 80 }]]);
    const ended = tape().game(90, { ended: true });
    nudge(ended, 200);
    for (let hour = 1; hour <= 24; hour++) nudge(ended, hour * 3600);
    const { fills, markets, result } = await backtest(ended, plan, 100, { results });
    expect(fills).toMatchObject([{ profit: 21_000_000 }]);
    expect(markets).toMatchObject([{ marked: 21_000_000, settled: 21_000_000, outcome: 'won' }]);
    expect(result.strategies).toMatchObject({ main: { settled: 21 } });
  });

  it('are written as rows that a spreadsheet can read, whatever the game is called', async () => {
    const run = await backtest(tape(), plan, 100);
    const runs = new Map([['pessimistic', run]] as const);
    const { txId = '', ref = '' } = run.fills[0] ?? {};
    const event = '"Ravens, Inc. @ ""Otters"""';
    expect(fillsCsv(runs)).toBe(
      [
        'scenario,time,game,event,market,side,odds,risk,win,fair,fair_60s,strategy,order,tx,role,age_ms,' +
          'queue_placed,queue_filled,reason,position_first,position_second,f0,fc,' +
          'markout_1s,markout_5s,markout_10s,markout_30s,markout_60s,markout_300s,markout_close,' +
          'settled,in_play,type,line,league,period,own_fair,price,run,own',
        // the tape ends before five minutes have passed and before the game starts
        `pessimistic,2030-01-01T12:00:20.250Z,${GAME},${event},${GAME}/moneyline,home,105,20.00,21.00,0.4987,0.5068,main,${ref},${txId},maker,50,` +
          '0.00,0.00,,21.00,-20.00,0.5000,,0.45,0.45,0.45,0.45,0.78,,,,' +
          'false,moneyline,,NBA,full,,0.4878,backtest,true',
        '',
      ].join('\n'),
    );
    const marked = run.result.pnl.marked.toFixed(2);
    expect(marketsCsv(runs)).toBe(
      [
        'scenario,game,event,market,fills,risk_filled,if_first,if_second,marked,settled,outcome',
        `pessimistic,${GAME},${event},${GAME}/moneyline,1,20.00,21.00,-20.00,${marked},,open`,
        '',
      ].join('\n'),
    );
    const formula = await backtest(tape('=HYPERLINK(1)'), plan, 100);
    expect(fillsCsv(new Map([['pessimistic', formula]]))).toContain(",'=HYPERLINK(1),");
  });
});

describe('the position of a bot in a backtest', () => {
  it('nets opposite fills as soon as in a live run, where the bot reads the mode of its account every 15 s', async () => {
    // Takers fill the HOME and AWAY quotes of the bot in turn, 20 each: at most what rests can be lost.
    const away = { side: 'away', odds: 105, risk: 20 } as const;
    const tape = nudge(market(), 20);
    for (let round = 1; round <= 4; round++)
      tape
        .side(20 + 5 * round, 'home', [deep('h', 200 - 20 * round)])
        .side(22 + 5 * round, 'away', [deep('a', 200 - 20 * round), { id: 'nudge20', odds: 150, risk: 1 }]);
    nudge(tape, 130);
    const { result } = await backtest(tape, [{ from: 20, quotes: [HOME_105, away] }], 100);
    expect(result.fills).toBeGreaterThanOrEqual(8);
    // If fills since the last read of the mode could be in the other mode, none would net: all 8 would lose
    // 160.
    expect(result.pnl.worst).toBeGreaterThanOrEqual(-80);
    expect(result.pnl.worst).toBeLessThan(0);
  });
});

describe('the request windows of the exchange', () => {
  const worse = { side: 'home', odds: 107, risk: 20 } as const;
  /** One request at 20 s and one at 30 s. From 36 s on only the quote that was missing then is wanted. */
  const plan = [
    { from: 20, quotes: [HOME_105] },
    { from: 30, quotes: [HOME_105, worse] },
    { from: 36, quotes: [worse] },
    { from: 95, quotes: [] },
  ];
  const tape = (): MadeTape =>
    nudge(nudge(market(), 20), 30)
      // 50 at +110: a stake of 55. It takes 20 at +105 by 21, and 20 at +107 by 21.40.
      .side(36, 'home', [deep('h', 150)])
      .side(95, 'home', [deep('h', 100)]);

  it('that match what the bot assumes refuse nothing: both quotes rest at 36 s', async () => {
    const { result } = await backtest(tape(), [...plan.slice(0, 2), { from: 36, quotes: [] }], 0);
    expect(result).toMatchObject({ fills: 2, riskFilled: 40, orders: { placed: 2 }, permits: { place: 2 } });
    expect(result.http).not.toHaveProperty('429');
  });

  it('that are smaller than the bot assumes refuse its second request with 429', async () => {
    const run = await withExchangeLimits(tape(), plan, { requests: 1, windowMs: 60_000 });
    // the request at 20.0 is counted, so those from 30.0 to 80.0 are refused; at 95 the quote rests
    expect(run.fillsBy(37)).toBe(1);
    expect(run.fillsBy(96)).toBe(2);
    expect(run.statuses.get(429)).toBeGreaterThan(0);
  });

  it('of the configuration are kept: a request beyond them waits, and the exchange refuses none', async () => {
    const placeWindow = { requests: 1, windowMs: 60_000, marginMs: 20 };
    const windows = { place: placeWindow, cancel: WINDOW, read: WINDOW };
    const settings = settingsFor(plan, { orders: { permits: 1, reserve: 0 } });
    const { result } = await backtest(tape(), plan, 0, { windows, settings });
    expect(result).toMatchObject({ fills: 2, riskFilled: 40, permits: { place: 2 } });
    expect(result.http).not.toHaveProperty('429');
    // wanted at 30, sent at 80.02
    expect(result.permits.waitedMs.p95).toBe(50_020);
  });

  it('allow more than the usual 25 requests when the configuration says so', async () => {
    const quotes = Array.from({ length: 30 }, (_none, i) => ({ side: 'home', odds: 111 + i, risk: 1 }) as const);
    const place = { ...WINDOW, requests: 40 };
    const orders = { permits: 40, reserve: 0, maxOrdersPerPlace: 1 };
    const { result } = await backtest(nudge(nudge(market(), 20), 21), [{ from: 20, quotes }], 0, {
      windows: { place, cancel: WINDOW, read: WINDOW },
      settings: settingsFor([{ from: 20, quotes }], { orders }),
    });
    expect(result).toMatchObject({ orders: { placed: 30 }, permits: { place: 30 } });
    expect(result.http).not.toHaveProperty('429');
  });
});

describe('the maximum drawdown of a backtest', () => {
  it('includes a loss that was recovered within a minute', async () => {
    // HOME is taken at 21. Until 40 the recorded offers price HOME low, after that high.
    const tape = nudge(market(), 20).side(21, 'home', [deep('h', 178)]);
    const fair = (second: number, home: number, away: number): void => {
      tape
        .side(second, 'home', [{ id: `h${second}`, odds: home, risk: 5000 }])
        .side(second, 'away', [{ id: `a${second}`, odds: away, risk: 5000 }]);
    };
    fair(25, 310, -300);
    fair(40, -300, 310);
    nudge(tape, 41);
    const plan = [
      { from: 20, quotes: [HOME_105] },
      { from: 22, quotes: [] },
    ];
    const { result } = await backtest(tape, plan, 100);
    expect(result.fills).toBeGreaterThan(0);
    expect(result.pnl.marked).toBeGreaterThan(0);
    expect(result.pnl.maxDrawdown).toBeGreaterThan(5);
  });
});

describe('a backtest of hours without market events', () => {
  const AWAY_105 = { side: 'away', odds: 105, risk: 20 } as const;

  /** The seconds at which the bot had inputs, and those at which it placed. It may have one open order. */
  async function quiet(plan: Plan, tape: MadeTape): Promise<{ inputs: number[]; places: number[] }> {
    const inputs: number[] = [];
    const places: number[] = [];
    const { risk } = coreSettings().orders;
    await backtest(tape, plan, 100, {
      settings: settingsFor(plan, { orders: { risk: { ...risk, maxOpenOrders: 1 } } }),
      journal: {
        record: ({ t }, commands) => {
          inputs.push((t - timeAt(0)) / 1000);
          for (const { type } of commands) if (type === 'place') places.push((t - timeAt(0)) / 1000);
        },
        ready: () => Promise.resolve(),
      },
    });
    return { inputs, places };
  }

  it('gives the bot few inputs, even while a limit denies one of its quotes', async () => {
    const plan: Plan = [{ from: 20, quotes: [HOME_105, AWAY_105] }];
    const { inputs, places } = await quiet(plan, nudge(nudge(market(), 20), 3000));
    expect(places).toHaveLength(1);
    expect(inputs.filter((t) => t > 30 && t < 3000).length).toBeLessThan(12);
  });

  it('places a denied quote as soon as the limit allows it', async () => {
    // from 2000 on only the AWAY quote is wanted, which may replace the other order
    const plan: Plan = [
      { from: 20, quotes: [HOME_105, AWAY_105] },
      { from: 2000, quotes: [AWAY_105] },
    ];
    const { places } = await quiet(plan, nudge(nudge(nudge(market(), 20), 2000), 3000));
    expect(places).toHaveLength(2);
    // the frame is seen at 2000.1, the cancel arrives at 2000.2, and its answer arrives at 2000.3
    expect(places[1]).toBeGreaterThan(2000.2);
    expect(places[1]).toBeLessThan(2000.9);
  });
});

describe('a game that starts', () => {
  it('has no quote of the bot left when its offers are taken shortly before the start', async () => {
    const tape = nudge(market(), 20);
    nudge(tape, START_S - 61); // `stopBefore` is a minute
    tape.side(START_S - 59, 'home', [deep('h', 180)]).side(START_S + 5, 'home', [deep('h', 100)], true);
    const { result } = await backtest(tape, [{ from: 20, quotes: [HOME_105] }], 100);
    expect(result).toMatchObject({ fills: 0, orders: { placed: 1, cancelled: 1 }, openAtExit: 0 });
  });
});

describe('a gap in the recording', () => {
  it('stops the quotes of the bot until resumeAfter has passed, and takes meanwhile fill none of its orders', async () => {
    const tape = nudge(market(), 20)
      .side(25, 'home', [deep('h', 195)]) // 5 at +110: a stake of 5.50, which takes 5.238095 of the own order
      .disconnect(30)
      .connect(40)
      .side(41, 'home', [deep('h', 180)])
      .side(44, 'home', [deep('h', 170)]) // connected since 40.1: less than the 5 s of resumeAfter
      .side(60, 'home', [deep('h', 165)]); // a stake of 5.50 again
    const { result } = await backtest(tape, [{ from: 20, quotes: [{ ...HOME_105, risk: 50 }] }], 100);
    expect(result).toMatchObject({ fills: 2, riskFilled: 10.48, orders: { placed: 2, cancelled: 2 } });
  });
});

it('a backtest passes on the book that the recorder read after a gap, to a bot that reads no quiet books itself', async () => {
  const tape = nudge(market(), 20)
    .disconnect(60)
    .connect(62)
    .read(63, { home: [{ id: 'h2', odds: 125, risk: 50 }], away: [deep('a')] }, 62.9);
  const books: unknown[] = [];
  await backtest(nudge(tape, 200), [], 100, {
    settings: settingsFor([]),
    journal: {
      record: ({ t, in: input }) => {
        if (input.type === 'frame' && input.event === 'gameUpdate' && t > timeAt(60))
          books.push([
            (t - timeAt(0)) / 1000,
            (JSON.parse(input.data) as { homeMoneylines: { id: string }[] }).homeMoneylines[0]?.id,
          ]);
      },
      ready: () => Promise.resolve(),
    },
  });
  expect(books).toEqual([[63.1, 'h2']]);
});

describe('a bot during a silence of the tape', () => {
  it('leaves a game in time when a header moved its start earlier just before the silence', async () => {
    const tape = nudge(market(), 20);
    nudge(tape, 100).game(100.1, { start: new Date(timeAt(600)).toISOString() });
    tape.side(1800, 'home', [deep('h', 180)]);
    const { result } = await backtest(tape, [{ from: 20, quotes: [HOME_105] }], 0);
    expect(result).toMatchObject({ fills: 0, orders: { placed: 1, cancelled: 1 } });
  });

  it('halts at once, not with the next frame, on a loss that the last frame before the silence brought', async () => {
    const tape = nudge(market(), 20).side(25, 'home', [deep('h', 180)]);
    // from 100.1 on HOME wins one time in four, and half an hour of silence follows; no request is on its way
    nudge(nudge(tape, 90), 100)
      .side(100.1, 'home', [{ id: 'h3', odds: 300, risk: 200 }])
      .side(100.1, 'away', [{ id: 'a3', odds: -250, risk: 200 }]);
    const halts: number[] = [];
    const plan: Plan = [
      { from: 20, quotes: [HOME_105] },
      { from: 90, quotes: [] },
    ];
    const settings = settingsFor(plan);
    const { result } = await backtest(nudge(tape, 1900), plan, 0, {
      settings: { ...settings, safety: { ...settings.safety, haltAtLoss: microsOfDollars(5) } },
      journal: {
        record: ({ t }, commands) => {
          for (const command of commands)
            if (command.type === 'alert' && command.code === 'KILL_SWITCH') halts.push((t - timeAt(0)) / 1000);
        },
        ready: () => Promise.resolve(),
      },
    });
    expect(result.fills).toBeGreaterThan(0);
    expect(halts).toHaveLength(1);
    expect(halts[0]).toBeLessThan(101);
  });
});

describe('several recordings', () => {
  const plan = [{ from: 20, quotes: [HOME_105] }];

  it('keep a market open to the bot when the recording of another market ends with its connection', async () => {
    const tape = nudge(market(), 20).side(60, 'home', [deep('h', 180)]);
    const other = new MadeTape().connect(0).disconnect(40);
    expect(filled(await backtest([tape], plan, 100))).toBe(20);
    expect(filled(await backtest([tape, other], plan, 100))).toBe(20);
  });
});

describe('the settlement of a backtest', () => {
  const quotes = [
    { type: 'moneyline', side: 'home', odds: 105, risk: 20 }, // wins 21
    { type: 'spread', side: 'home', odds: 105, risk: 40 }, // wins 42
    { type: 'total', side: 'over', odds: 105, risk: 60 }, // wins 63
  ] as const;
  /** Fills of HOME, HOME −3 (or the given spread) and OVER 210 at second 30. */
  function tapeOf(spread = -3): MadeTape {
    const home = `home ${spread}` as const;
    const away = `away ${-spread}` as const;
    const tape = new MadeTape()
      .game(0, { mainHomeSpread: spread, mainTotal: 210 })
      .side(0, home, [deep('hs')])
      .side(0, away, [deep('as')])
      .side(0, 'over 210', [deep('o')])
      .side(0, 'under 210', [deep('u')])
      .side(0, 'home', [deep('h')])
      .side(0, 'away', [deep('a')])
      .side(20, away, [deep('as'), { id: 'n1', odds: 150, risk: 1 }])
      .side(20, 'under 210', [deep('u'), { id: 'n2', odds: 150, risk: 1 }]);
    return nudge(tape, 20)
      .side(30, 'home', [deep('h', 100)])
      .side(30, home, [deep('hs', 100)])
      .side(30, 'over 210', [deep('o', 100)])
      .side(40, 'home', [deep('h', 100)]);
  }
  const settle = async (score: { readonly home: number; readonly away: number }, spread = -3, game = GAME) => {
    const results = new Map([[game as GameId, score]]);
    const { result } = await backtest(tapeOf(spread), [{ from: 20, quotes }], 0, { results });
    expect(result).toMatchObject({ fills: 3, riskFilled: 120 });
    return result.pnl;
  };

  it('pays winners, charges losers, and returns the stakes of a push', async () => {
    // HOME wins by 4, 210 points: 21 + 42 + a push
    expect(await settle({ home: 107, away: 103 })).toMatchObject({ settled: 63, unsettled: [] });
    // HOME wins by 3, 207 points: 21 + a push − 60
    expect(await settle({ home: 105, away: 102 })).toMatchObject({ settled: -39, unsettled: [] });
    // HOME loses by 3, 219 points: −20 − 40 + 63
    expect(await settle({ home: 108, away: 111 })).toMatchObject({ settled: 3, unsettled: [] });
  });

  it('splits a quarter line into two halves', async () => {
    // HOME −2.75 that wins by 3 is half a win at −2.5 and half a push at −3: 21 + 21; 207 points: −60
    expect(await settle({ home: 105, away: 102 }, -2.75)).toMatchObject({ settled: -18 });
    // HOME −3.25 that wins by 3 is half a push and half a loss: 21 − 20 − 60
    expect(await settle({ home: 105, away: 102 }, -3.25)).toMatchObject({ settled: -59 });
  });

  it('lists the games without a score and leaves them out', async () => {
    expect(await settle({ home: 107, away: 103 }, -3, 'another')).toMatchObject({
      settled: 0,
      unsettled: [GAME],
    });
  });

  it('reports no settled result when no scores are given', async () => {
    const { result } = await backtest(tapeOf(), [{ from: 20, quotes }], 0);
    expect(result.pnl).not.toHaveProperty('settled');
    expect(result.pnl).not.toHaveProperty('unsettled');
  });
});

describe('the profit curve of a long tape', () => {
  it('is thinned and keeps its first and last point', async () => {
    // one fill, then forty hours with a frame each minute: 2,400 points
    const hours = 40;
    const tape = nudge(market(), 20).side(30, 'home', [deep('h', 178)]); // 22 at +110
    for (let minute = 1; minute <= hours * 60; minute++)
      tape.side(60 * minute, 'away', [deep('a', 150 + (minute % 2))]);
    const { equity, result } = await backtest(tape, [{ from: 20, quotes: [HOME_105] }], 0);
    expect(equity.length).toBeLessThanOrEqual(2001);
    expect(equity.length).toBeGreaterThan(1000);
    expect(equity[0]).toEqual({ t: timeAt(0), marked: 0, worst: 0, inventory: 0, inPlay: 0 });
    expect(result.pnl.marked).not.toBe(0);
    expect(equity.at(-1)?.marked).toBe(result.pnl.marked);
    expect(equity.at(-1)?.t).toBeGreaterThan(timeAt(hours * 3600));
  });
});

describe('a strategy that sets a timer of the process', () => {
  const { setTimeout, setInterval, setImmediate } = globalThis;
  const waiting = (create: Strategy['create']): Strategy =>
    defineStrategy({ name: 'waiting', params: z.object({}), create });
  const run = (strategy: Strategy): Promise<ScenarioRun> =>
    backtest(nudge(market(), 20).side(60, 'home', [deep('h', 150)]), [], 100, {
      settings: backtestSettings(coreSettings({}, strategy, {})),
    });
  const intentOf = ({ market }: MarketView): QuoteIntent => ({
    market: market.id,
    quotes: [{ side: 'home', risk: centsOfDollars(20), probability: 0.4 }],
  });

  it.each<[string, Strategy['create'], RegExp]>([
    // RxJS reads the clock before it sets a timer
    [
      'through RxJS without the scheduler',
      () => (views$) => views$.pipe(debounceTime(200), map(intentOf)),
      /Date\.now|setInterval/,
    ],
    [
      'with setTimeout',
      () => (views$) =>
        views$.pipe(
          tap(() => globalThis.setTimeout(() => undefined, 10)),
          map(intentOf),
        ),
      /setTimeout/,
    ],
  ])(
    '%s is quarantined at once with an alert, since its intents would depend on real time',
    async (_how, create, timer) => {
      const { errors, result } = await run(waiting(create));
      expect(errors).toMatchObject([{ code: 'ASYNC_EMISSION', text: expect.stringMatching(timer) as string }]);
      expect(result).toMatchObject({ orders: { placed: 0 }, alerts: { ASYNC_EMISSION: 1 } });
      expect([globalThis.setTimeout, globalThis.setInterval, globalThis.setImmediate]).toEqual([
        setTimeout,
        setInterval,
        setImmediate,
      ]);
    },
  );

  it('is not quarantined when it uses the scheduler that it is given', async () => {
    const { errors, result } = await run(
      waiting(
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(debounceTime(200, scheduler), map(intentOf)),
      ),
    );
    expect(errors).toEqual([]);
    expect(result.orders.placed).toBe(1);
  });
});
