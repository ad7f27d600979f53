// `oddsmaker price`: the table of a game from odds documents of every form, and what is refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { modelFor } from '../../src/pricing/index.ts';
import { book, event, NOW } from '../signals/odds.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';

const MODEL = modelFor('football', { margin: 3.1, total: 44.5 });

function nflBook(name: string, spread: number) {
  const both = (p: number): readonly [number, number] => [1 / p, 1 / (1 - p)];
  const [home, away] = both(MODEL.moneyline().fair);
  const [first, second] = both(MODEL.spread(spread).fair);
  const [over, under] = both(MODEL.total(44.5).fair);
  return book(name, {
    h2h: { Hawks: home, Owls: away },
    spreads: [
      ['Hawks', first, spread],
      ['Owls', second, 0 - spread],
    ],
    totals: [
      ['Over', over, 44.5],
      ['Under', under, 44.5],
    ],
  });
}

const NFL = { sport_key: 'americanfootball_nfl' };
const GAME = event('Hawks', 'Owls', [nflBook('a', -3), nflBook('b', -2.5)], NFL);
const LATE = event('Crows', 'Gulls', [nflBook('a', -3)], { ...NFL, id: 'late' });

function file(content: string | Buffer, name = 'odds.json'): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

type Output = {
  readonly games: readonly {
    readonly game: string;
    readonly lines: readonly Readonly<Record<string, unknown>>[];
    readonly quotes: readonly Readonly<Record<string, unknown>>[];
    readonly parameters: Readonly<Record<string, number>>;
  }[];
};
async function json(path: string, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await command(['price', path, '--json', ...flags]);
  return { code, stderr, ...(JSON.parse(stdout) as Output) };
}

describe('oddsmaker price', () => {
  it('prints each line with fair price, error and odds, and how far each book is from it', async () => {
    const { code, stderr, games } = await json(file(JSON.stringify([GAME])));
    expect([code, stderr]).toEqual([0, '']);
    const [game] = games;
    expect(game).toMatchObject({ game: 'Owls @ Hawks', sport: 'football' });
    expect(game?.parameters).toMatchObject({ margin: expect.closeTo(3.1, 1) as number });
    const line = game?.lines.find(({ type, line: own }) => type === 'spread' && own === -7);
    expect(line).toMatchObject({
      side: 'home',
      period: 'full',
      fair: expect.closeTo(MODEL.spread(-7).fair, 2) as number,
    });
    for (const { fair, odds, error } of game?.lines ?? []) {
      const p = Number(fair);
      expect(odds).toBeCloseTo(p > 0.5 ? (-100 * p) / (1 - p) : (100 * (1 - p)) / p, 0);
      expect(error).toBeGreaterThan(0);
    }
    expect(game?.quotes.map(({ book: name, type, line: own }) => [name, type, own])).toEqual([
      ['a', 'moneyline', null],
      ['a', 'spread', -3],
      ['a', 'total', 44.5],
      ['b', 'moneyline', null],
      ['b', 'spread', -2.5],
      ['b', 'total', 44.5],
    ]);
    for (const { price, fair, residual } of game?.quotes ?? [])
      expect(residual).toBeCloseTo(Number(price) - Number(fair), 5);
  });

  it('reads {ts, data}, and lines of them packed, and takes the newest prices before the start', async () => {
    const other = event('Hawks', 'Owls', [nflBook('a', -3), nflBook('b', -2.5), nflBook('c', -3.5)], NFL);
    const inPlay = {
      ts: Date.parse(GAME.commence_time) + 60_000,
      data: [event('Hawks', 'Owls', [nflBook('a', -3)], NFL)],
    };
    const lines = [{ ts: NOW, data: [GAME] }, { ts: NOW + 1000, data: [other] }, inPlay].map((line) =>
      JSON.stringify(line),
    );
    const { games } = await json(file(gzipSync(lines.join('\n')), 'day.ndjson.gz'));
    expect(games[0]?.quotes).toHaveLength(9);
    expect((await json(file(lines[0] ?? ''))).games[0]?.quotes).toHaveLength(6);
  });

  it('prints a table, of one game where one is named', async () => {
    const path = file(JSON.stringify([GAME, LATE]));
    const all = await command(['price', path]);
    expect(all.stdout).toMatch(/^Owls @ Hawks: football, normal, weighted by NFL margins, 2 books$/m);
    expect(all.stdout).toMatch(/^ {2}spread home -3 +0\.500 +0\.\d{3} +\+100 +1 +[+−]0\.\d$/m);
    expect(all.stderr).toMatch(/^oddsmaker: Gulls @ Crows: a h2h: outcomes that are not the two teams and a draw$/m);
    const single = await command(['price', path, '--game', 'OWLS', '--all']);
    expect(single.stdout).toMatch(/^ {2}book +moneyline +spread +total$/m);
    expect(single.stdout.split('\n').length).toBeGreaterThan(100);
    const none = await command(['price', path, '--game', 'Hakws']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no game is named "Hakws"') as string]);
  });

  it('prices the exchange’s own book where the configuration has no odds', async () => {
    const config = writeConfig(`exchange: { embedded: { games: 2 } }\n${STRATEGIES}${NO_JOURNAL}`);
    const { code, games } = await json(config);
    expect(code).toBe(0);
    expect(games).toHaveLength(2);
    for (const { quotes, lines } of games) {
      expect(new Set(quotes.map(({ book: name }) => name))).toEqual(new Set(['exchange']));
      expect(lines.length).toBeGreaterThan(50);
    }
  });

  it('takes books and method of the configuration with its odds', async () => {
    const odds = file(JSON.stringify([GAME]));
    const config = writeConfig(
      `exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}signals: { odds: { file: "${odds}", books: { b: 1 }, model: fit } }\n`,
    );
    const { games } = await json(config);
    expect(games[0]?.quotes.map(({ book: name }) => name)).toEqual(['b', 'b', 'b']);
  });

  it.each([
    ['an empty file', '', 'it is empty'],
    ['text', 'nonsense', 'line 1: it is no JSON'],
    ['NaN', '[{"price": NaN}]', 'it is no JSON'],
    ['another document', '{"message": "no more requests"}', 'it is no list of events: it says "no more requests"'],
  ])('refuses %s as no odds document', async (_what, content, message) => {
    const ended = await command(['price', file(content)]);
    expect([ended.code, ended.stdout]).toEqual([65, '']);
    expect(ended.stderr).toContain(message);
  });

  it.each([
    [
      'odds between -100 and +100',
      [
        { name: 'Hawks', price: -125 },
        { name: 'Owls', price: 50 },
      ],
      /bad h2h: Owls: price 50: expected American odds/,
    ],
    [
      'a price that is no number',
      [
        { name: 'Hawks', price: '1.9' },
        { name: 'Owls', price: 1.9 },
      ],
      /bad h2h: Hawks: price "1\.9"/,
    ],
    [
      'a line that is no number',
      [
        { name: 'Hawks', price: -110, point: '2.5.0' },
        { name: 'Owls', price: -110, point: 2.5 },
      ],
      /point "2\.5\.0": expected a number/,
    ],
  ])('names %s by event, book and outcome, and prices the rest', async (_what, outcomes, message) => {
    const totals = { key: 'totals', outcomes: ['Over', 'Under'].map((name) => ({ name, price: -110, point: 44.5 })) };
    const bad = { key: 'bad', markets: [{ key: 'h2h', outcomes }, totals] };
    const books = [nflBook('a', -3), nflBook('b', -2.5), bad];
    const ended = await command(['price', file(JSON.stringify([event('Hawks', 'Owls', books, NFL)]))]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).toContain('Owls @ Hawks');
    expect(ended.stdout).toContain('3 books');
  });

  it('names a sport without a model, and prices it where --sport says how', async () => {
    const path = file(
      JSON.stringify([event('Hawks', 'Owls', [nflBook('a', -3), nflBook('b', -2.5)], { sport_key: 'cricket_ipl' })]),
    );
    const ended = await command(['price', path]);
    expect(ended.stdout).toBe('No game has a price.\n');
    expect(ended.stderr).toContain('Owls @ Hawks: cricket_ipl has no model');
    expect((await json(path, '--sport', 'football')).games).toHaveLength(1);
  });
});
