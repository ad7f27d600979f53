// A strategy host that records everything that leaves it, and views for tests.
import { z } from 'zod';
import type {
  AmericanOdds,
  Cents,
  Game,
  GameId,
  Ladder,
  Market,
  Micros,
  Offer,
  OrderId,
  ParticipantId,
  Position,
  QuoteIntent,
  StrategyId,
} from '../../src/domain/index.ts';
import { FLAT, NO_COMMISSION, market } from '../../src/domain/index.ts';
import type { MarketView, Strategy } from '../../src/strategy/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import type { StrategyEntry } from '../../src/strategy/host/host.ts';
import { StrategyHost } from '../../src/strategy/host/host.ts';

export const GAME_ID = 'g1' as GameId;
export const MONEYLINE = market(GAME_ID, 'moneyline');
export const SPREAD = market(GAME_ID, 'spread', -3.5);
export const TOTAL = market(GAME_ID, 'total', 210.5);
export const OTHER_GAME = market('g2' as GameId, 'moneyline');

export const id = (text: string): StrategyId => text as StrategyId;

const game = (gameId: GameId): Game => ({
  id: gameId,
  parentGameId: undefined,
  league: 'NBA',
  sport: 'basketball',
  eventName: 'Away @ Home',
  start: 7_200_000,
  live: false,
  ended: false,
  open: true,
  futures: false,
  kind: 'game',
  period: 'full',
  home: { id: 'p-home' as ParticipantId, name: 'Home', shortName: 'HOM' },
  away: { id: 'p-away' as ParticipantId, name: 'Away', shortName: 'AWY' },
  mainHomeSpread: -3.5,
  mainTotal: 210.5,
});

export type ViewParts = {
  readonly time?: number;
  readonly first?: Ladder;
  readonly second?: Ladder;
  readonly position?: Position;
};

export const viewOf = (shown: Market, parts: ViewParts = {}): MarketView => ({
  time: parts.time ?? 0,
  game: game(shown.gameId),
  market: shown,
  sides: [
    { side: shown.sides[0], offers: parts.first ?? [], freshness: 'fresh', own: [] },
    { side: shown.sides[1], offers: parts.second ?? [], freshness: 'fresh', own: [] },
  ],
  position: parts.position ?? FLAT,
  fills: [],
  signals: { get: () => undefined },
  history: { consensus: () => [], takes: () => [] },
  account: { bankroll: undefined, permits: { place: 0, cancel: 0 }, commission: NO_COMMISSION, positions: [] },
  score: () => undefined,
});

/** An offer of another trader at a rung, in dollars. */
export const offer = (rung: number, dollars: number): Offer => ({
  id: `o${rung}` as OrderId,
  rung: rung as Offer['rung'],
  risk: (dollars * 1_000_000) as Micros,
  untaken: (dollars * 1_000_000) as Micros,
  createdAt: '2030-01-01T00:00:00.000Z',
  own: false,
});

/** An intent with one quote on the market's first side. `cents` is its risk and identifies the intent. */
export const intentOf = (quoted: Market, cents: number): QuoteIntent => ({
  market: quoted.id,
  quotes: [{ side: quoted.sides[0], risk: cents as Cents, odds: 110 as AmericanOdds }],
});

type Create = Strategy<z.ZodObject>['create'];

export const entryOf = (name: string, create: Create, scope?: 'market' | 'game'): StrategyEntry => ({
  id: id(name),
  strategy: defineStrategy({ name, params: z.object({}), create, ...(scope === undefined ? {} : { scope }) }),
  params: {},
});

export type Said =
  | {
      readonly what: 'intent';
      readonly at: number;
      readonly strategy: StrategyId;
      readonly intent: QuoteIntent;
    }
  | { readonly what: 'fault'; readonly strategy: StrategyId; readonly code: string; readonly detail: string }
  | { readonly what: 'async'; readonly strategy: StrategyId }
  | {
      readonly what: 'log';
      readonly strategy: StrategyId;
      readonly message: string;
      readonly fields: unknown;
    };

/** Makes steps as the core does: due timers first, then the input. */
export class HostFixture {
  readonly said: Said[] = [];
  readonly host: StrategyHost;
  readonly entered: string[] = [];
  now = 0;

  constructor(...entries: readonly StrategyEntry[]) {
    this.host = new StrategyHost(
      entries,
      { get: (name) => (name === 'model' ? 0.5 : undefined) },
      {
        seq: () => 0,
        reportAsync: (strategy) => this.said.push({ what: 'async', strategy }),
        enter: (strategy) => this.entered.push(`> ${strategy}`),
        leave: (strategy) => this.entered.push(`< ${strategy}`),
        fault: (code, strategy, detail) => this.said.push({ what: 'fault', strategy, code, detail }),
        log: (strategy, message, fields) => this.said.push({ what: 'log', strategy, message, fields }),
      },
    );
  }

  /** Takes the new intents, as the core does after each dispatch. */
  #take(): this {
    for (const { strategy, intent } of this.host.takeIntents())
      this.said.push({ what: 'intent', at: this.now, strategy, intent });
    return this;
  }

  /** Lets time pass to `now` by a tick. */
  tick(now: number): this {
    this.now = now;
    this.host.runTimers(now);
    return this.#take();
  }

  show(shown: Market, now = this.now, parts: ViewParts = {}): this {
    this.tick(now);
    this.host.dispatch(shown, () => viewOf(shown, { time: now, ...parts }));
    return this.#take();
  }

  close(closed: Market): this {
    this.host.closeMarket(closed);
    return this.#take();
  }

  get faults() {
    return this.said.filter((entry) => entry.what === 'fault');
  }

  /** The intents as [time, strategy, market, cents of the first quote or the reason for no quotes]. */
  get intents(): (readonly [number, string, string, number | string])[] {
    return this.#take()
      .said.filter((entry) => entry.what === 'intent')
      .map(({ at: timeMs, strategy, intent }) => [
        timeMs,
        strategy,
        intent.market,
        intent.quotes[0]?.risk ?? `none: ${intent.reason ?? ''}`,
      ]);
  }

  /** The cents of the first quote that a strategy wants on a market now; undefined without a quote. */
  standing(strategy: string, quoted: Market): number | undefined {
    return this.#take()
      .said.filter((entry) => entry.what === 'intent')
      .findLast((entry) => entry.strategy === strategy && entry.intent.market === quoted.id)?.intent.quotes[0]?.risk;
  }
}
