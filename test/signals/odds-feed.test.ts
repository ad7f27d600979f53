// An odds feed as it is polled: over HTTP with tags, refusals and a vendor who wants to be left alone, and from a file.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { DrawRule, Game } from '../../src/domain/index.ts';
import { fileOdds, httpOdds, OddsFeed } from '../../src/signals/index.ts';
import type { OddsReader, OddsReading } from '../../src/signals/odds-reader.ts';
import { closedPort, folder } from '../support/children.ts';
import { book, event, game, NOW } from './odds.ts';

type Answer = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> };

/** Answers one after the other, the last one for ever. */
async function vendor(...answers: readonly Answer[]) {
  const asked: IncomingHttpHeaders[] = [];
  const server: Server = createServer((request, response) => {
    const { status, body = '', headers = {} } = answers[Math.min(asked.length, answers.length - 1)] as Answer;
    asked.push(request.headers);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/odds?apiKey=s3cret`;
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return { url, asked, [Symbol.asyncDispose]: close };
}

type Message = {
  readonly values: Readonly<Record<string, number>>;
  readonly ttl: number;
  readonly ts: number;
};
type Parts = {
  readonly games?: () => readonly Game[];
  readonly table?: Readonly<Record<string, string>>;
  readonly weights?: Readonly<Record<string, number>>;
  readonly draw?: DrawRule;
  readonly drawOf?: (game: Game) => DrawRule;
};

function feeding(
  read: OddsReader,
  { games = () => [GAME], draw = 'impossible', drawOf = () => draw, ...more }: Parts = {},
) {
  const told: Message[] = [];
  const said: string[] = [];
  const clock = { now: NOW };
  const note = (message: string, fields: object): void => void said.push(`${message} ${JSON.stringify(fields)}`);
  const feed = new OddsFeed(
    { method: 'shin', weights: {}, ttlMs: 120_000, everyMs: 20, table: {}, ...more },
    {
      read,
      take: (messages) => told.push(...(messages as Message[])) > 0,
      games,
      drawOf,
      log: { info: note, warn: note },
      now: () => performance.now(),
      wall: () => clock.now,
    },
  );
  return { feed, told, said, clock, [Symbol.asyncDispose]: () => feed.close() };
}

const until = (wanted: () => void): Promise<void> => vi.waitFor(wanted, { timeout: 10_000, interval: 10 });

/** `more`: resolves when it was read so often again. */
function counted(reader: OddsReader) {
  let readings = 0;
  const read: OddsReader = (signal) => {
    readings += 1;
    return reader(signal);
  };
  const more = (times: number): Promise<void> => {
    const then = readings;
    return until(() => expect(readings).toBeGreaterThan(then + times));
  };
  return { read, more };
}
const GAME = game('Harbor City Herons', 'Redwood Rangers');
const H2H = { 'Harbor City Herons': 1.5, 'Redwood Rangers': 2.74 };
const EVENT = event('Harbor City Herons', 'Redwood Rangers', [book('pin', { h2h: H2H })]);
const BODY = JSON.stringify([EVENT]);
const MONEYLINE = `odds:${GAME.id}/moneyline`;

describe('a polled feed', () => {
  it('is told by the names of markets, once for each price, and asks with the tags of the last answer', async () => {
    const headers = { etag: '"v1"', 'last-modified': 'Tue, 01 Jan 2030 11:59:00 GMT' };
    await using server = await vendor({ status: 200, body: BODY, headers }, { status: 304 });
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(server.asked.length).toBeGreaterThan(3));
    expect(fed.told).toEqual([
      { values: { [MONEYLINE]: expect.closeTo(0.6508516, 7) as number }, ttl: 120_000, ts: NOW - 10_000 },
    ]);
    expect(server.asked[0]?.['if-none-match']).toBeUndefined();
    expect(server.asked[1]).toMatchObject({ 'if-none-match': '"v1"', 'if-modified-since': headers['last-modified'] });
    expect(fed.feed.details).toMatchObject({ events: 1, matched: 1, prices: 1, unmatchedCount: 0 });
    expect(fed.said).toEqual([]);
  });

  it('without times of its own is as old as the vendor last said that it is so', async () => {
    const [{ markets, ...pin }] = [book('pin', { h2h: H2H })];
    const untimed = markets.map(({ last_update: _of, ...market }) => market);
    const { last_update: _of, ...bare } = pin;
    const body = JSON.stringify([{ ...EVENT, bookmakers: [{ ...bare, markets: untimed }] }]);
    await using server = await vendor({ status: 200, body, headers: { etag: '"v1"' } }, { status: 304 });
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(fed.told).toHaveLength(1));
    expect(fed.told[0]).toMatchObject({ ts: NOW });
    fed.clock.now += 100_000;
    await until(() => expect(fed.told).toHaveLength(2));
    expect(fed.told[1]).toMatchObject({ ts: NOW + 100_000, values: fed.told[0]?.values });
  });

  it('that refuses is told once and without the key, left alone as long as it asks, and told when it is back', async () => {
    await using server = await vendor(
      { status: 429, headers: { 'retry-after': '1' }, body: '{"message":"slow down"}' },
      { status: 200, body: BODY },
    );
    const began = performance.now();
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(fed.feed.problem).toMatch(/answers 429 \(too many requests\).*slow down/));
    await until(() => expect(fed.told).toHaveLength(1));
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(fed.feed.problem).toBeUndefined();
    expect(fed.said).toHaveLength(2);
    expect(fed.said.join(' ')).not.toContain('s3cret');
  });

  it.each([
    [{ status: 401, body: 'no such key' }, /answers 401 \(the key is refused, or used up\): no such key/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /answers 302 \(it is somewhere else/],
    [{ status: 200, body: '{"message":"quota"}' }, /cannot be read: it is no list of events: it says "quota"/],
    [{ status: 200, body: '[' }, /cannot be read: it is no JSON/],
  ])('that answers %j says what is wrong', async (answer, text) => {
    await using server = await vendor(answer);
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(fed.feed.problem).toMatch(text));
    expect(fed.told).toEqual([]);
  });

  it('that says again what could not be read still does not work, and makes no older price new', async () => {
    await using server = await vendor(
      { status: 200, body: BODY.replaceAll('last_update', 'at'), headers: { etag: '"v1"' } },
      { status: 200, body: '{"message":"quota"}', headers: { etag: '"v2"' } },
      { status: 304 },
      { status: 500 },
      { status: 304 },
    );
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(server.asked.length).toBeGreaterThan(2));
    fed.clock.now += 100_000;
    await until(() => expect(fed.feed.problem).toContain('answers 500'));
    await until(() => expect(fed.feed.problem).toContain('it says "quota"'));
    expect(fed.said.filter((one) => one.includes('works again'))).toEqual([]);
    expect(fed.told.map(({ ts }) => ts)).toEqual([NOW]);
  });

  it('that is away is asked less and less often', async () => {
    const pauses: number[] = [];
    let asked: number | undefined;
    const away = httpOdds(`http://127.0.0.1:${await closedPort()}/`, Date.now);
    await using fed = feeding(async (signal) => {
      // between an answer and the next question: the first one takes a while
      if (asked !== undefined) pauses.push(performance.now() - asked);
      const reading = await away(signal);
      asked = performance.now();
      return reading;
    });
    await until(() => expect(pauses.length).toBeGreaterThan(3));
    expect(pauses[3]).toBeGreaterThan(2 * (pauses[0] ?? 0));
    expect(fed.said).toHaveLength(1);
    expect(fed.feed.problem).toMatch(/127\.0\.0\.1:\d+\/ does not answer: .*ECONNREFUSED/);
  });
});

describe('a feed in a file', () => {
  it('is read again when it changes, also from the other side of the table', async () => {
    const path = join(folder(), 'odds.json');
    const turned = (p: Readonly<Record<string, number>>): string =>
      JSON.stringify([
        event('RWR', 'Harbour Herons', [
          book('pin', {
            h2h: p,
            spreads: [
              ['RWR', 1.8, 3.5],
              ['Harbour Herons', 2, -3.5],
            ],
            totals: [
              ['Over', 1.9, 200],
              ['Under', 1.9, 200],
            ],
          }),
        ]),
      ]);
    await using fed = feeding(fileOdds(path), {
      table: { RWR: 'Redwood Rangers', 'Harbour Herons': 'Harbor City Herons', Nobody: 'Redwood Ranger' },
    });
    await until(() => expect(fed.feed.problem).toMatch(/odds\.json is not there/));
    writeFileSync(path, turned({ RWR: 2.74, 'Harbour Herons': 1.5 }));
    await until(() => expect(fed.told).toHaveLength(1));
    const values = fed.told[0]?.values ?? {};
    expect(Object.keys(values)).toEqual([MONEYLINE, `odds:${GAME.id}/spread/-3.5`, `odds:${GAME.id}/total/200`]);
    expect(values[MONEYLINE]).toBeCloseTo(0.6508516, 7);
    expect(values[`odds:${GAME.id}/spread/-3.5`]).toBeLessThan(0.5);
    expect(values[`odds:${GAME.id}/total/200`]).toBeCloseTo(0.5, 9);
    writeFileSync(path, turned({ RWR: 2.7, 'Harbour Herons': 1.52 }).concat(' '));
    await until(() => expect(fed.told).toHaveLength(2));
    expect(Object.keys(fed.told[1]?.values ?? {})).toEqual([MONEYLINE]);
    expect(fed.said.filter((one) => one.includes('signals.odds.teams'))).toEqual([
      expect.stringContaining('Redwood Ranger; did you mean Redwood Rangers?'),
    ]);
  });

  it('tells once each what did not match, which books it does not have, and what has no price', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(
      path,
      JSON.stringify([EVENT, event('Owls', 'Bears', [], { sport_key: 'soccer_epl' }), { id: 'rubbish' }]),
    );
    await using fed = feeding(fileOdds(path), { weights: { pin: 1, pinacle: 2 }, draw: 'both-lose' });
    await until(() => expect(fed.said).toHaveLength(4));
    expect(fed.feed.details).toMatchObject({
      events: 2,
      matched: 1,
      prices: 0,
      skipped: { events: 1, markets: 0 },
      unmatched: ['Bears @ Owls, 2030-01-01T13:00:00.000Z: no game has these teams'],
      withoutPrice: [expect.stringContaining('a draw loses both bets')],
    });
    expect(fed.said.join('\n')).toMatch(/no such bookmakers.*pinacle/);
    expect(fed.told).toEqual([]);
  });

  it('that has no price of a market any more withdraws it at once, as when a bookmaker closes it', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    await using fed = feeding(fileOdds(path));
    await until(() => expect(fed.told).toHaveLength(1));
    writeFileSync(path, JSON.stringify([{ ...EVENT, bookmakers: [] }]));
    await until(() => expect(fed.told).toHaveLength(2));
    expect(fed.told[1]?.values).toEqual({ [MONEYLINE]: null });
    writeFileSync(path, `${BODY} `);
    await until(() => expect(fed.told).toHaveLength(3));
    expect(fed.told[2]?.values).toEqual(fed.told[0]?.values);
  });

  it('that holds rubbish does not work until it holds something else', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    const { read, more } = counted(fileOdds(path));
    await using fed = feeding(read);
    await until(() => expect(fed.told).toHaveLength(1));
    writeFileSync(path, '{"message":"quota"}');
    await until(() => expect(fed.feed.problem).toContain('it says "quota"'));
    await more(8);
    expect(fed.feed.problem).toContain('it says "quota"');
    expect(fed.said).toHaveLength(1);
    writeFileSync(path, `${BODY} `);
    await until(() => expect(fed.feed.problem).toBeUndefined());
    expect(fed.said.at(-1)).toContain('works again');
  });

  it('of which everything is left out is told as a problem, also at the next look, and its prices are withdrawn', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    const { read, more } = counted(fileOdds(path));
    await using fed = feeding(read);
    await until(() => expect(fed.told).toHaveLength(1));
    const problem = "nothing in the feed's document can be read: events left out: 1, markets: 1";
    const none = book('pin', { h2h: { ...H2H, 'Redwood Rangers': 0 } });
    writeFileSync(path, JSON.stringify([{ ...EVENT, bookmakers: [none] }, 'rubbish']));
    await until(() => expect(fed.feed.problem).toBe(problem));
    await until(() => expect(fed.told.slice(1).map(({ values }) => values)).toEqual([{ [MONEYLINE]: null }]));
    await more(8);
    expect(fed.feed.problem).toBe(problem);
    // nothing is odd about a feed without games
    writeFileSync(path, '[]');
    await until(() => expect(fed.feed.problem).toBeUndefined());
  });

  it('that is a pipe or a folder is no file, and is read when a file takes its place', async () => {
    const dir = folder();
    expect(await fileOdds(dir)(new AbortController().signal)).toEqual({ type: 'failed', problem: `${dir} is no file` });
    const path = join(dir, 'odds.json');
    execFileSync('mkfifo', [path]);
    await using fed = feeding(fileOdds(path));
    await until(() => expect(fed.feed.problem).toBe(`${path} is no file`));
    rmSync(path);
    writeFileSync(path, BODY);
    await until(() => expect(fed.told).toHaveLength(1));
  });

  it('is closed also while a reading never ends, and takes nothing of it later', async () => {
    const reading = Promise.withResolvers<OddsReading>();
    const fed = feeding(() => reading.promise);
    await fed.feed.close();
    reading.resolve({ type: 'new', text: BODY });
    await new Promise((turn) => setImmediate(turn));
    expect(fed.told).toEqual([]);
    expect(fed.feed.details).toMatchObject({ events: 0 });
  });

  it('says that parts are left out again whenever they have doubled', async () => {
    const path = join(folder(), 'odds.json');
    await using fed = feeding(fileOdds(path));
    for (const bad of [1, 1, 3, 2, 9]) {
      writeFileSync(path, JSON.stringify([EVENT, ...Array<string>(bad).fill('rubbish')]));
      await until(() => expect(fed.feed.details).toMatchObject({ skipped: { events: bad } }));
    }
    expect(fed.said.filter((one) => one.includes('left out')).map((one) => /"events":(\d+)/.exec(one)?.[1])).toEqual([
      '1',
      '3',
      '9',
    ]);
  });

  it('goes on where the exchange of the bot fails it, and says so', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    let isBroken = true;
    const games = (): readonly Game[] => {
      if (isBroken) throw new Error('no games');
      return [GAME];
    };
    await using fed = feeding(fileOdds(path), { games });
    await until(() => expect(fed.feed.problem).toBe("the feed's document cannot be priced: no games"));
    expect(fed.said).toHaveLength(1);
    isBroken = false;
    await until(() => expect(fed.told).toHaveLength(1));
    await until(() => expect(fed.feed.problem).toBeUndefined());
  });

  it('prices the others where one event is of an absurd time, or cannot be priced', async () => {
    const path = join(folder(), 'odds.json');
    const [bad, late] = [game('Owls', 'Bears'), game('Foxes', 'Hounds')];
    const owls = event('Owls', 'Bears', [book('pin', { h2h: { Owls: 1.5, Bears: 2.74 } })]);
    const foxes = event('Foxes', 'Hounds', owls.bookmakers, { commence_time: 1_795_645_000_000_000 });
    writeFileSync(path, JSON.stringify([foxes, owls, EVENT]));
    await using fed = feeding(fileOdds(path), {
      games: () => [late, bad, GAME],
      drawOf: ({ id }) => {
        if (id === bad.id) throw new Error('no such league');
        return 'impossible';
      },
    });
    await until(() => expect(fed.told).toHaveLength(1));
    expect(Object.keys(fed.told[0]?.values ?? {})).toEqual([MONEYLINE]);
    expect(fed.feed.problem).toBeUndefined();
    expect(fed.feed.details).toMatchObject({
      events: 2,
      skipped: { events: 1, markets: 0 },
      withoutPrice: ['Bears @ Owls: it cannot be priced: no such league'],
    });
  });

  it('of which everything is old has no price', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    await using fed = feeding(fileOdds(path));
    await until(() => expect(fed.told).toHaveLength(1));
    fed.clock.now += 110_000;
    await until(() => expect(fed.feed.details).toMatchObject({ matched: 1, prices: 0 }));
    expect(fed.told.slice(1).map(({ values }) => values)).toEqual([{ [MONEYLINE]: null }]);
  });
});
