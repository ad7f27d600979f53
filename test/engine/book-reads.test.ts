// Reads of books over REST when there are many: few reads are in flight, and whole leagues are read when many
// books are due.
import { describe, expect, it } from 'vitest';
import type { Command, Read } from '../../src/domain/index.ts';
import { alertsIn, CoreDriver, coreSettings, gameEntry } from '../support/core-driver.ts';

const ROWS = [{ id: 'x', odds: 105, risk: 200 }];
const AT_ONCE = 10;

const teamsOf = (index: number) =>
  ['home', 'away'].map((homeAway) => ({ id: `p-${homeAway}-${index}`, longName: homeAway, homeAway }));
const entryOf = (index: number): unknown =>
  gameEntry(
    ROWS.map((row) => ({ ...row, id: `h${index}` })),
    ROWS.map((row) => ({ ...row, id: `a${index}` })),
    { id: `g${index}`, participants: teamsOf(index) },
  );

/** A core that knows a league of this many games, listed in pages of twenty. */
class League {
  readonly driver = new CoreDriver(coreSettings({ readsAtOnce: AT_ONCE }));
  readonly #games: number;
  /** Reads of books without an answer, in the order in which they were sent. */
  pending: { readonly req: number; readonly read: Read }[] = [];
  readonly warned: unknown[] = [];

  constructor(games: number) {
    this.#games = games;
    this.#note(this.driver.input({ type: 'boot', run: 'run' }));
    this.#note(this.driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 }));
    this.#note(this.driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 }));
    this.feed('up', 1);
    this.answerAll();
    this.pass(500);
  }

  feed(status: 'up' | 'down', epoch: number): void {
    this.#note(this.driver.input({ type: 'feed', feed: 'prices', status, epoch }));
  }

  pass(ms: number): void {
    this.#note(this.driver.passTime(ms));
  }

  /** Sends a frame of both sides, so that their books are fresh. */
  sendFrames(index: number): void {
    for (const { id } of teamsOf(index)) {
      const data = { gameID: `g${index}`, league: 'NBA', type: 'moneyline', participantID: id };
      const row = { id: 'x', type: 'moneyline', risk: 200, sumUntaken: 200, odds: 105, takenRatio: 0 };
      const sideOrders = [{ ...row, createdAt: '2030-01-01T00:00:00.000Z' }];
      this.#note(
        this.driver.input({
          type: 'frame',
          feed: 'prices',
          epoch: 1,
          event: 'orderUpdate',
          data: JSON.stringify({ ...data, sideOrders }),
        }),
      );
    }
  }

  answerOne(): void {
    const [first, ...rest] = this.pending;
    this.pending = rest;
    if (first !== undefined) this.#note(this.driver.reply(first.req, { data: this.#answerTo(first.read) }));
  }

  refuseOne(message: string): void {
    const [first, ...rest] = this.pending;
    this.pending = rest;
    const body = { error: { message, code: 400 } };
    if (first !== undefined) this.#note(this.driver.reply(first.req, body, 400));
  }

  /** Answers all pending reads and returns how many there were. */
  answerAll(): number {
    let count = 0;
    for (; this.pending.length > 0; count++) this.answerOne();
    return count;
  }

  #answerTo(read: Read): unknown {
    if (read.what === 'game') return { game: entryOf(Number(read.gameId.slice(1))) };
    const from = read.what === 'league' ? (read.page - 1) * 20 : 0;
    const indexes = Array.from({ length: this.#games }, (_none, index) => index);
    const games = indexes.slice(from, from + 20).map(entryOf);
    return { market: null, games, pagination: { hasNextPage: from + 20 < this.#games } };
  }

  #note(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type === 'alert' && command.level === 'warn') this.warned.push([command.code, command.fields]);
      if (command.type === 'read' && (command.read.what === 'league' || command.read.what === 'game'))
        this.pending.push({ req: command.req, read: command.read });
    }
  }

  get kinds(): readonly string[] {
    return this.pending.map(({ read }) =>
      read.what === 'league' ? `page ${read.page}` : read.what === 'game' ? read.gameId : read.what,
    );
  }
}

describe('reads of books', () => {
  it('go league by league when more are due than may be in flight', () => {
    const league = new League(45);
    league.pass(6500);
    expect(league.kinds).toEqual(['page 1']);
    expect(league.answerAll()).toBe(3);
    league.pass(5000);
    expect(league.kinds).toEqual([]);
  });

  it('go game by game when few are due, within the limit of reads in flight', () => {
    const league = new League(45);
    league.pass(4000);
    for (let index = 0; index < 37; index++) league.sendFrames(index);
    league.pass(2500);
    expect(league.kinds).toEqual(['g37', 'g38', 'g39', 'g40', 'g41', 'g42', 'g43', 'g44']);
    league.answerAll();
    // the other books are due by now
    league.pass(3500);
    expect(league.kinds).toEqual(['page 1']);
  });

  it('go game by game when the read of the league did not bring the books', () => {
    const league = new League(30);
    league.pass(6500);
    // the exchange lists no book: every book keeps its age
    const [first] = league.pending;
    league.pending = [];
    const none = { market: null, games: [], pagination: { hasNextPage: false } };
    const commands = league.driver.reply(first?.req ?? 0, { data: none });
    // it has games, as is known: nothing is wrong with its name
    expect(alertsIn(commands, 'LEAGUE_EMPTY')).toEqual([]);
    league.pass(500);
    expect(league.kinds).toHaveLength(AT_ONCE);
    league.answerOne();
    expect(league.kinds).toHaveLength(AT_ONCE);
    expect(league.kinds.at(-1)).toBe('g10');
  });

  it('report a league without games once, because its name may be wrong', () => {
    const league = new League(0);
    league.feed('down', 1);
    league.feed('up', 2);
    league.answerAll();
    expect(league.warned).toEqual([['LEAGUE_EMPTY', { league: 'NBA' }]]);
    expect(new League(1).warned).toEqual([]);
  });

  it('of a league that has fewer pages by now start again', () => {
    const league = new League(45);
    league.pass(6500);
    league.answerOne();
    expect(league.kinds).toEqual(['page 2']);
    league.refuseOne('"page" 2 is beyond the last: there is one page');
    expect(league.kinds).toEqual([]);
    league.pass(1000);
    expect(league.kinds).toEqual(['page 1']);
    expect(league.answerAll()).toBe(3);
  });

  it('of an earlier feed connection delay nothing: the league is read first', () => {
    const league = new League(30);
    for (let index = 0; index < 22; index++) league.sendFrames(index);
    league.pass(6400);
    const before = league.pending.length;
    expect(before).toBeGreaterThan(0);
    league.feed('down', 1);
    league.feed('up', 2);
    expect(league.kinds.slice(before)).toEqual(['page 1']);
    league.pending = league.pending.slice(before);
    expect(league.answerAll()).toBe(2);
    league.pass(1000);
    expect(league.driver.core.status().closed).not.toMatch(/books/);
    expect(league.kinds).toEqual([]);
  });
});
