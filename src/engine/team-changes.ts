// Handles a game whose home and away change places (a corrected neutral site), or whose team is replaced.
// Bets stay with the backed participant (rules.md, 11). So resting orders are cancelled before new quotes,
// data kept by side moves with its team, and earlier signals and prices are never used for the other team.
import type { Account, DayLoss, Settlements } from '../account/index.ts';
import type { Game, GameId, Market, Teams } from '../domain/index.ts';
import { swappedMarket, teamChange } from '../domain/index.ts';
import type { GameBook, Mirror } from '../mirror/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { HeldElsewhere } from '../risk/index.ts';
import type { SignalBoard } from '../strategy/host/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { Prices } from './prices.ts';
import type { Quoting } from './quoting.ts';
import type { Trading } from './trading.ts';

export type TeamChangeParts = {
  readonly buffer: CommandBuffer;
  readonly mirror: Mirror;
  readonly account: Account;
  readonly manager: OrderManager;
  readonly prices: Prices;
  readonly day: DayLoss;
  readonly settlements: Settlements;
  readonly signals: SignalBoard;
  readonly held: HeldElsewhere;
  readonly trading: Trading;
  readonly quoting: Quoting;
};

export class TeamChanges {
  readonly #parts: TeamChangeParts;
  /** Games with orders from before their teams changed. */
  readonly #withdrawn = new Set<GameId>();
  /** Games with a replaced team, and the original teams, whose return is awaited. */
  readonly #replaced = new Map<GameId, Teams>();

  constructor(parts: TeamChangeParts) {
    this.#parts = parts;
  }

  /** True when nothing may be quoted in this game now. */
  isClosed(gameId: GameId): boolean {
    return this.#withdrawn.has(gameId) || this.#replaced.has(gameId);
  }

  /** Applies a changed header of a game. */
  applyBook(before: Game, book: GameBook): void {
    const { game: after } = book;
    const { id } = after;
    const sought = this.#replaced.get(id);
    if (sought === undefined && teamChange(before, after) === 'same') return;
    const change = teamChange(sought ?? before, after);
    const markets = this.#marketsOf(book);
    this.#withdraw(id, markets);
    if (change === 'replaced') {
      if (sought === undefined) this.#lose(before, after);
      return;
    }
    if (sought !== undefined) this.#find(sought, after);
    if (change === 'swapped') this.#swap(sought ?? before, after, markets);
  }

  /** Reopens games in which no earlier order rests any more. */
  advance(): void {
    if (this.#withdrawn.size === 0) return;
    const { account, mirror } = this.#parts;
    for (const id of this.#withdrawn) {
      if (account.hasActiveIn(id)) continue;
      this.#withdrawn.delete(id);
      for (const book of mirror.games.get(id)?.markets.values() ?? []) mirror.touched.add(book);
    }
  }

  forget(gameId: GameId): void {
    this.#withdrawn.delete(gameId);
    this.#replaced.delete(gameId);
    this.#parts.account.fills.forgetTeams(gameId);
    this.#parts.held.forget(gameId);
  }

  #withdraw(id: GameId, markets: readonly Market[]): void {
    const { manager, quoting, signals } = this.#parts;
    this.#withdrawn.add(id);
    quoting.closeGame(id);
    quoting.forgetPrices(markets);
    manager.forgetGame(id);
    // fair:<market>, odds:<market> and other signals named by game or market refer to the previous sides
    signals.withdraw((name) => [`:${id}/`, `:${id}:`].some((part) => name.includes(part)) || name.endsWith(`:${id}`));
  }

  #swap(before: Teams, after: Game, markets: readonly Market[]): void {
    const { id } = after;
    const { account, day, buffer, held, prices, settlements, trading } = this.#parts;
    account.swapTeams(id, markets);
    held.swapTeams(id, buffer.now);
    prices.swapTeams(markets);
    day.swapTeams(id, markets);
    settlements.swapTeams(id);
    trading.swapTeams(id);
    buffer.alert(
      'warn',
      'TEAMS_SWAPPED',
      'home and away of a game changed places: its orders are cancelled, and what is held stays with its team',
      { gameId: id, eventName: after.eventName, ...namesOf(before, after) },
    );
  }

  #lose(before: Game, after: Game): void {
    const { account, buffer, held } = this.#parts;
    this.#replaced.set(after.id, before);
    account.fills.loseTeams(after.id, before);
    held.loseTeams(after.id, buffer.now);
    buffer.alert(
      'error',
      'TEAM_REPLACED',
      'a team of a game was replaced: nothing is quoted there, and all that is staked on a team may be lost',
      { gameId: after.id, eventName: after.eventName, ...namesOf(before, after) },
    );
  }

  #find(sought: Teams, after: Game): void {
    const { account, buffer } = this.#parts;
    this.#replaced.delete(after.id);
    account.fills.findTeams(after.id);
    buffer.alert('info', 'TEAMS_FOUND', 'both teams of a game are known again: it is quoted as before', {
      gameId: after.id,
      eventName: after.eventName,
      ...namesOf(sought, after),
    });
  }

  /** All markets of the game for which anything may be kept, each also with its sides swapped. */
  #marketsOf({ game: { id }, markets }: GameBook): readonly Market[] {
    const { account, day } = this.#parts;
    const known = new Map<string, Market>();
    for (const { market } of markets.values()) known.set(market.id, market);
    for (const market of account.games.get(id)?.values() ?? []) known.set(market.id, market);
    for (const market of day.marketsIn(id)) known.set(market.id, market);
    for (const market of [...known.values()]) known.set(swappedMarket(market).id, swappedMarket(market));
    return [...known.values()];
  }
}

const namesOf = (before: Teams, after: Teams) => ({
  before: `${before.away.name} @ ${before.home.name}`,
  after: `${after.away.name} @ ${after.home.name}`,
});
