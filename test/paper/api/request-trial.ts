// Runs one plan: looks up the named orders, sends the requests and compares each answer with its request. It
// checks the books after every action and the whole state at the end.
import { expect } from 'vitest';
import type { VenueGame } from '../../../src/venue/index.ts';
import { isRecord } from '../../../src/wire/index.ts';
import type { Action, ActionOf, OrderPlan } from './request-actions.ts';
import { NAMES } from './request-actions.ts';
import type { Json } from './request-audit.ts';
import {
  bookProblems,
  creditProblems,
  field,
  number,
  openPlays,
  playProblems,
  profitOf,
  text,
} from './request-audit.ts';
import type { Asked, Reply } from './checked-exchange.ts';
import { CheckedExchange } from './checked-exchange.ts';

const TYPES = ['post', 'fillAndKill', 'fillOrKill'] as const;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isRecord) : []);
export class Trial extends CheckedExchange {
  /** Ids of the orders and plays that any reply named. */
  readonly #orders: string[] = [];
  readonly #plays: string[] = [];

  run(action: Action): void {
    const { venue } = this.x.world;
    switch (action.kind) {
      case 'place':
        this.#place(action.who, action.orders);
        break;
      case 'edit': {
        const { who, kind: _kind, target, ...changes } = action;
        this.#own(who, {
          path: '/session/editOrder',
          body: { sessionID: this.#orderAt(who, target), ...changes },
        });
        break;
      }
      case 'cancel':
        this.#cancel(action);
        break;
      case 'bulk': {
        const gameID = this.games[action.game]?.header.id;
        const { data } = this.ask(action.who, { path: action.path, body: { gameID, league: 'NBA' } });
        for (const resumed of list(field(data, 'createdSessions'))) this.#remember(resumed);
        break;
      }
      case 'mode':
        this.ask(action.who, { path: '/user/updateCoinsOrCash', body: { playerMode: action.mode } });
        break;
      case 'read':
        this.#read(action);
        break;
      case 'garbage': {
        const type = action.form ? 'application/x-www-form-urlencoded' : 'application/json';
        this.ask(action.who, { ...action, type });
        break;
      }
      case 'burst': {
        const body = { orders: [{}], sessionID: 'unknown', sessionIDs: ['unknown'], userReferences: ['x'] };
        for (let i = 0; i < action.times; i++) this.ask(action.who, { path: action.path, body });
        break;
      }
      case 'operator':
        this.#operator(action);
        break;
      case 'wait':
        this.x.advanceTo(this.x.nowMs + action.ms);
    }
    venue.advance(this.x.nowMs);
    this.problems.push(...bookProblems(venue, this.x.nowMs));
    if (action.kind === 'place' || action.kind === 'edit')
      this.problems.push(...creditProblems(venue, this.accountAt(action.who)));
    expect(this.problems).toEqual([]);
  }

  /** Checks the whole state, grades every game and checks again. */
  finish(): void {
    const { venue } = this.x.world;
    this.problems.push(...playProblems(venue));
    this.checkFeeds();
    for (const [index, account] of this.accounts.entries()) {
      this.problems.push(...creditProblems(venue, account));
      this.operate(`accounts/${account.username}`, { status: 'active' });
      this.login(index);
      const open = list(field(this.ask(index, { path: '/user/getUnmatched' }).data, 'unmatched'));
      if (open.map((row) => row['id']).join() !== [...account.open.keys()].join())
        this.problems.push(`${account.username}: the list of open orders differs from the venue’s`);
    }
    for (const game of this.games) this.#grade(game, 5, 2);
    for (const account of this.accounts) {
      if (account.open.size > 0 || openPlays(account).length > 0)
        this.problems.push(`${account.username} has open orders or ungraded plays at the end`);
      this.problems.push(...creditProblems(venue, account));
    }
    expect(this.problems).toEqual([]);
  }

  // ——— requests

  /** Sends a request about one order. It must not succeed for another account's order. */
  #own(who: number, asked: Asked & { readonly body: { readonly sessionID: unknown } }): Reply {
    const reply = this.ask(who, asked);
    const order = this.x.world.venue.orderById(text(asked.body.sessionID));
    if (reply.status === 200 && order?.account !== this.accountAt(who))
      this.problems.push(`${asked.path}: another account's order ${text(asked.body.sessionID)}`);
    this.#remember(reply.data);
    return reply;
  }

  #place(who: number, plans: readonly OrderPlan[]): void {
    const orders = plans.map((plan) => this.#orderBody(who, plan));
    const { status, data } = this.ask(who, { path: '/session/v2/place', body: { orders } });
    if (status !== 200) return;
    const results = list(field(data, 'createdSessions'));
    if (results.length !== orders.length) this.problems.push(`${results.length} results of ${orders.length} orders`);
    for (const [index, result] of results.entries()) {
      this.#remember(result);
      const order = orders[index];
      if (order === undefined) continue;
      // an unknown order type takes crossing offers and rests, like limit
      const orderType = TYPES.find((type) => type === order.orderType) ?? 'limit';
      if (typeof result['error'] === 'string') continue;
      const taken = list(result['matched']).reduce((sum, play) => sum + number(play['risk']), 0);
      const rests = number(field(result['unmatched'], 'offered'));
      // a remainder of one cent does not rest
      const short = Number(order.risk) - taken - rests;
      const dropsRest =
        this.x.world.venue.profile.endsAtStart &&
        plans[index] !== undefined &&
        this.games[plans[index].game]?.header.live === true &&
        !(Number(order.expirationMinutes) > 0);
      const right =
        short > -1e-6 &&
        (orderType === 'post' ? taken === 0 : orderType === 'limit' || rests === 0) &&
        (orderType === 'fillAndKill' || order.sessionID !== undefined || short < 0.0101 || dropsRest);
      if (!right) this.problems.push(`${orderType} of ${Number(order.risk)}: ${taken} taken, ${rests} rests`);
    }
  }

  #orderBody(who: number, plan: OrderPlan) {
    const { game, first, spread, total, takes, flaw, userReference, ...rest } = plan;
    const header = this.games[game]?.header;
    const totals = plan.type === 'total';
    return {
      ...rest,
      gameID: header?.id,
      side: totals ? (first ? 'over' : 'under') : header?.[first ? 'home' : 'away'].id,
      number: totals ? total : first ? spread : 0 - spread,
      userReference: this.#reference(who, userReference),
      sessionID: takes === undefined ? undefined : this.#orderAt(who + 1, takes),
      ...(flaw === undefined ? {} : { [flaw.field]: flaw.value }),
    };
  }

  #cancel({ who, path, targets }: ActionOf<'cancel'>): void {
    const ids = targets.map((target) => this.#orderAt(who, target));
    if (path === '/session/cancel') {
      this.#own(who, { path, body: { sessionID: ids[0] } });
      return;
    }
    const gameID = this.games[targets.length % this.games.length]?.header.id;
    const userReferences = targets.map((target) => this.#reference(target % NAMES.length, 'r1'));
    const { data } = this.ask(who, { path, body: { sessionIDs: ids, gameID, userReferences } });
    for (const { success, sessionID } of list(data)) {
      if (success !== true) continue;
      const order = this.x.world.venue.orderById(text(sessionID));
      const elsewhere = path === '/session/cancelByReference' && order?.book.market.gameId !== gameID;
      if (order?.account !== this.accountAt(who) || elsewhere)
        this.problems.push(`${path}: another account's order ${text(sessionID)}`);
    }
  }

  #read({ who, path, target, get }: ActionOf<'read'>): void {
    const params = {
      gameID: this.games[target % this.games.length]?.header.id,
      league: 'NBA',
      leagueRequested: 'NBA',
      userReference: this.#reference(target % NAMES.length, 'r1'),
      sport: 'football',
      wagerRequestID: this.accountAt(target).open.values().next().value?.requestId,
      ...(path === '/session/lookupOrder' ? { sessionID: this.#orderAt(who, target) } : {}),
      ...(path === '/user/getBetByID' ? { txID: this.#plays[target % Math.max(1, this.#plays.length)] } : {}),
    };
    const reply = this.ask(who, { path, ...(get ? { method: 'GET', query: params } : { body: params }) });
    const account = this.accountAt(who);
    const ofOther =
      path === '/session/lookupOrder'
        ? this.x.world.venue.orderById(text(params.sessionID))?.account !== account
        : path === '/user/getBetByID' && account.plays.get(text(params.txID) as never) === undefined;
    if (reply.status === 200 && ofOther) this.problems.push(`${path} shows another account's data`);
  }

  // ——— the operator

  #operator({ who, what: step, game: gameIndex, home, away }: ActionOf<'operator'>): void {
    const account = this.accountAt(who);
    const game = this.games[gameIndex];
    if (step === 'cancel') this.operate(`accounts/${account.username}/cancel`, { all: true });
    else if (step === 'ban') this.ban(who);
    else if (step === 'serve') this.serve(who);
    else if (step === 'expire') {
      this.operate(`accounts/${account.username}/expire-tokens`, {});
      if (this.ask(who, { path: '/user/getMe' }).status !== 401) this.problems.push('an expired token works');
      if (account.status === 'active') this.login(who);
    } else if (game === undefined || game.graded !== undefined) return;
    else if (step === 'grade') this.#grade(game, home, away);
    else {
      const start = new Date(this.x.nowMs + 1_000).toISOString();
      const changes = {
        close: { open: false },
        open: { open: true, ended: false },
        end: { ended: true },
        live: { live: true },
        start: { start },
        swap: { swapTeams: true },
      };
      this.operate(`games/${game.header.id}`, changes[step]);
    }
  }

  /**
   * Grades a game and checks that each account receives the profit of its plays, and that the total money is
   * unchanged.
   */
  #grade(game: VenueGame, home: number, away: number): void {
    if (game.graded !== undefined) return;
    // a basketball game cannot end in a draw
    const score = { home: home === away ? home + 1 : home, away };
    const due = this.accounts.map((account) => {
      const plays = openPlays(account).filter(({ order }) => order.book.game === game);
      const sum = plays.reduce((total, play) => total + profitOf(play, score.home, score.away), 0);
      return { account, plays, after: account.balances.cash + account.balances.coins + sum };
    });
    this.operate(`games/${game.header.id}/grade`, score);
    for (const { account, plays, after } of due) {
      const { cash, coins } = account.balances;
      if (cash + coins !== after) this.problems.push(`${account.username}: ${cash + coins}, not ${after}`);
      for (const play of plays)
        if (play.profit !== profitOf(play, score.home, score.away))
          this.problems.push(`${play.txId} was settled at ${play.profit}`);
    }
    this.checkMoney('grading');
  }

  // ——— look-ups of orders and references

  /** An order id: in three of four cases one of the account's own open orders. */
  #orderAt(who: number, target: number): string | undefined {
    const own = [...this.accountAt(who).open.keys()];
    const from = target % 4 === 0 || own.length === 0 ? this.#orders : own;
    return from[(target >> 2) % Math.max(1, from.length)];
  }

  #reference(who: number, value: unknown): unknown {
    return typeof value === 'string' && value !== '' ? `${NAMES[who]}-${value}` : value;
  }

  #rests(id: string): void {
    this.#orders.push(id);
    const header = this.x.world.venue.orderById(id)?.book.game.header;
    const open = header?.open === true && !header.ended && (header.live || header.start > this.x.nowMs);
    if (!open) this.problems.push(`${id} was placed on a game that is not open`);
  }

  #remember(result: unknown): void {
    const offer = text(field(field(result, 'unmatched'), 'orderID'));
    if (offer !== '') this.#rests(offer);
    for (const play of list(field(result, 'matched'))) this.#plays.push(text(play['txID']));
  }
}
