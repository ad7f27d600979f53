// A ledger as risk sees it, made of plain lists: held positions and resting orders, market by market.
import type {
  Cents,
  DrawRule,
  Game,
  GameId,
  Market,
  MarketId,
  Micros,
  ParticipantId,
  Position,
  Rung,
  Side,
  WantedOrder,
} from '../../src/domain/index.ts';
import {
  applyFill,
  centsOfDollars,
  FLAT,
  market,
  microsOfDollars,
  sideIndex,
  toRung,
  winOf,
  oddsOf,
} from '../../src/domain/index.ts';
import type { AccountState, ExposurePorts, ExposureSource, RiskLimits, SideStakes } from '../../src/risk/index.ts';
import { Exposure } from '../../src/risk/index.ts';
import { ruleOf } from '../support/sport-rules.ts';

export const G1 = 'g1' as GameId;
export const G2 = 'g2' as GameId;
export const usd = microsOfDollars;

export const rung = (odds: number): Rung => {
  const found = toRung(odds);
  if (found === undefined) throw new Error(`no price: ${odds}`);
  return found;
};

export function game(id: GameId = G1, sport = 'basketball'): Game {
  return {
    id,
    parentGameId: undefined,
    league: 'NBA',
    sport,
    eventName: 'Away @ Home',
    start: 0,
    live: false,
    ended: false,
    open: true,
    futures: false,
    kind: 'game',
    period: 'full',
    home: { id: 'p-home' as ParticipantId, name: 'Home', shortName: 'HOM' },
    away: { id: 'p-away' as ParticipantId, name: 'Away', shortName: 'AWY' },
    mainHomeSpread: undefined,
    mainTotal: undefined,
  };
}

export class Book implements ExposureSource {
  readonly games = new Map<GameId, Map<MarketId, Market>>();
  readonly moved = new Set<GameId>();
  /** How a level score settles the moneyline of a game. */
  draws: (id: GameId) => DrawRule = () => 'impossible';
  readonly drawOf = (id: GameId): DrawRule => this.draws(id);
  readonly #positions = new Map<MarketId, Position>();
  #open: { readonly market: MarketId; readonly side: Side; readonly remaining: Micros }[] = [];

  /** Adds dollars that rest, are in flight or have an unknown fate. */
  open(orderMarket: Market, side: Side, dollars: number): this {
    this.#remember(orderMarket);
    this.#open.push({ market: orderMarket.id, side, remaining: usd(dollars) });
    return this;
  }

  filled(fillMarket: Market, side: Side, odds: number, dollars: number): this {
    this.#remember(fillMarket);
    const win = winOf(usd(dollars), oddsOf(rung(odds)));
    this.#positions.set(fillMarket.id, applyFill(this.positionIn(fillMarket.id), side, usd(dollars), win));
    return this;
  }

  readonly positionIn = (id: MarketId): Position => this.#positions.get(id) ?? FLAT;
  readonly addOpenIn = (id: MarketId, stakes: SideStakes): void => {
    for (const order of this.#open) if (order.market === id) stakes[sideIndex(order.side)] += order.remaining;
  };
  readonly stakedElsewhere = usd(0);
  readonly stakedIn = new Map<GameId, Micros>();
  readonly holdings = {
    surePositionIn: (id: MarketId): Position => this.positionIn(id),
    stakedIn: this.stakedIn,
  };

  /** Adds dollars that filled in an unknown market of a game. */
  unplaced(gameId: GameId, dollars: number): this {
    this.stakedIn.set(gameId, usd(dollars));
    return this;
  }

  /** Sets how level scores settle, for every game or for each game by itself. */
  drawn(draws: DrawRule | ((id: GameId) => DrawRule)): this {
    this.draws = typeof draws === 'string' ? () => draws : draws;
    return this;
  }

  /** Removes a game with nothing open or held any more. */
  drop(gameId: GameId): this {
    for (const id of this.games.get(gameId)?.keys() ?? []) {
      this.#positions.delete(id);
      this.#open = this.#open.filter((order) => order.market !== id);
    }
    this.games.delete(gameId);
    this.moved.add(gameId);
    return this;
  }

  #remember(newMarket: Market): void {
    this.games.set(
      newMarket.gameId,
      (this.games.get(newMarket.gameId) ?? new Map<MarketId, Market>()).set(newMarket.id, newMarket),
    );
    this.moved.add(newMarket.gameId);
  }
}

export const moneyline = market(G1, 'moneyline');
export const otherMoneyline = market(G2, 'moneyline');

export const LIMITS: RiskLimits = {
  maxOrderRisk: centsOfDollars(500),
  minOrderRisk: centsOfDollars(1),
  maxGameLoss: usd(2000),
  maxTotalLoss: usd(10_000),
  maxOpenOrders: 200,
  maxCreditUse: 0.9,
  priceBand: 0.15,
  bandWithout: 'hold',
  bandAgeMs: 300_000,
  heldHedges: false,
  staleAfterMs: 10_000,
  resumeAfterMs: 5000,
};

export const wanted = (dollars: number, fields: Partial<WantedOrder> = {}): WantedOrder => ({
  market: moneyline,
  side: 'home',
  rung: rung(100),
  risk: Math.round(dollars * 100) as Cents,
  ...fields,
});

export const exposureOf = (book: Book, ports: Partial<ExposurePorts> = {}): Exposure =>
  new Exposure(book, { ruleOf: (id) => ruleOf(book.drawOf(id)), ...ports });

export const account = (book: Book, fields: Partial<AccountState> = {}): AccountState => ({
  exposure: exposureOf(book),
  openOrders: 0,
  creditInUse: usd(0),
  balance: undefined,
  leagueOf: () => 'NBA',
  ...fields,
});
