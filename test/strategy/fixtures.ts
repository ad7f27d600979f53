// A strategy host with a protocol of everything that leaves it, and views made by hand.
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
import { FLAT, market } from '../../src/domain/index.ts';
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

export const viewOf = (of: Market, parts: ViewParts = {}): MarketView => ({
  time: parts.time ?? 0,
  game: game(of.gameId),
  market: of,
  sides: [
    { side: of.sides[0], offers: parts.first ?? [], freshness: 'fresh', own: [] },
    { side: of.sides[1], offers: parts.second ?? [], freshness: 'fresh', own: [] },
  ],
  position: parts.position ?? FLAT,
  fills: [],
  signals: { get: () => undefined },
});

/** An offer of somebody else at a rung, in dollars. */
export const offer = (rung: number, dollars: number): Offer => ({
  id: `o${rung}` as OrderId,
  rung: rung as Offer['rung'],
  risk: (dollars * 1_000_000) as Micros,
  untaken: (dollars * 1_000_000) as Micros,
  createdAt: '2030-01-01T00:00:00.000Z',
  own: false,
});

/** One quote on the market's first side; `cents` tells intents apart. */
export const intentOf = (of: Market, cents: number): QuoteIntent => ({
  market: of.id,
  quotes: [{ side: of.sides[0], risk: cents as Cents, odds: 110 as AmericanOdds }],
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

/** Steps as the core makes them: due timers first, then the input. */
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

  /** Takes what was said, as the core does after each dispatch. */
  #take(): this {
    for (const { strategy, intent } of this.host.takeIntents())
      this.said.push({ what: 'intent', at: this.now, strategy, intent });
    return this;
  }

  /** Time passes without an input but the tick. */
  tick(now: number): this {
    this.now = now;
    this.host.runTimers(now);
    return this.#take();
  }

  show(of: Market, now = this.now, parts: ViewParts = {}): this {
    this.tick(now);
    this.host.dispatch(of, () => viewOf(of, { time: now, ...parts }));
    return this.#take();
  }

  close(of: Market): this {
    this.host.close(of);
    return this.#take();
  }

  get faults() {
    return this.said.filter((one) => one.what === 'fault');
  }

  /** Every intent as [time, strategy, market, cents of its first quote or what it was withdrawn for]. */
  get intents(): (readonly [number, string, string, number | string])[] {
    return this.#take()
      .said.filter((one) => one.what === 'intent')
      .map(({ at, strategy, intent }) => [
        at,
        strategy,
        intent.market,
        intent.quotes[0]?.risk ?? `none: ${intent.reason ?? ''}`,
      ]);
  }

  /** What each strategy wants on each market now: cents of the first quote, undefined for nothing. */
  standing(strategy: string, of: Market): number | undefined {
    return this.#take()
      .said.filter((one) => one.what === 'intent')
      .findLast((one) => one.strategy === strategy && one.intent.market === of.id)?.intent.quotes[0]?.risk;
  }
}
