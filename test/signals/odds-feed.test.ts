// A polled odds feed: over HTTP with entity tags, refusals and a vendor's Retry-After, and from a file.
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

/** Serves the answers one after the other, then the last one forever. */
async function vendor(...answers: readonly Answer[]) {
  const requests: IncomingHttpHeaders[] = [];
  const server: Server = createServer((request, response) => {
    const { status, body = '', headers = {} } = answers[Math.min(requests.length, answers.length - 1)] as Answer;
    requests.push(request.headers);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/odds?apiKey=s3cret`;
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return { url, asked: requests, [Symbol.asyncDispose]: close };
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
  { games = () => [GAME], draw = 'impossible', drawOf = () => draw, ...settings }: Parts = {},
) {
  const messages: Message[] = [];
  const logged: string[] = [];
  const clock = { now: NOW };
  const note = (message: string, fields: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const feed = new OddsFeed(
    { method: 'shin', weights: {}, ttlMs: 120_000, everyMs: 20, table: {}, ...settings },
    {
      read,
      take: (batch) => messages.push(...(batch as Message[])) > 0,
      games,
      drawOf,
      sportOf: () => 'basketball',
      marketsOf: () => [],
      consensusIn: () => [],
      scoreOf: () => undefined,
      log: { info: note, warn: note },
      now: () => performance.now(),
      wall: () => clock.now,
    },
  );
  return { feed, messages, logged, clock, [Symbol.asyncDispose]: () => feed.close() };
}

const until = (wanted: () => void): Promise<void> => vi.waitFor(wanted, { timeout: 10_000, interval: 10 });

/** `again` resolves when the reader was called that many more times. */
function counted(reader: OddsReader) {
  let readings = 0;
  const read: OddsReader = (signal) => {
    readings += 1;
    return reader(signal);
  };
  const again = (times: number): Promise<void> => {
    const then = readings;
    return until(() => expect(readings).toBeGreaterThan(then + times));
  };
  return { read, again };
}
const GAME = game('Harbor City Herons', 'Redwood Rangers');
const H2H = { 'Harbor City Herons': 1.5, 'Redwood Rangers': 2.74 };
const EVENT = event('Harbor City Herons', 'Redwood Rangers', [book('pin', { h2h: H2H })]);
const BODY = JSON.stringify([EVENT]);
const MONEYLINE = `odds:${GAME.id}/moneyline`;

describe('a polled odds feed', () => {
  it('sends each new price once under the name of its market, and repeats the tags of the last answer', async () => {
    const headers = { etag: '"v1"', 'last-modified': 'Tue, 01 Jan 2030 11:59:00 GMT' };
    await using server = await vendor({ status: 200, body: BODY, headers }, { status: 304 });
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(server.asked.length).toBeGreaterThan(3));
    expect(fed.messages).toEqual([
      { values: { [MONEYLINE]: expect.closeTo(0.6508516, 7) as number }, ttl: 120_000, ts: NOW - 10_000 },
    ]);
    expect(server.asked[0]?.['if-none-match']).toBeUndefined();
    expect(server.asked[1]).toMatchObject({ 'if-none-match': '"v1"', 'if-modified-since': headers['last-modified'] });
    expect(fed.feed.details).toMatchObject({ events: 1, matched: 1, prices: 1, unmatchedCount: 0 });
    expect(fed.logged).toEqual([]);
  });

  it('dates prices without a time by the vendor’s last answer', async () => {
    const [{ markets, ...pin }] = [book('pin', { h2h: H2H })];
    const untimed = markets.map(({ last_update: _marketTime, ...market }) => market);
    const { last_update: _bookTime, ...bare } = pin;
    const body = JSON.stringify([{ ...EVENT, bookmakers: [{ ...bare, markets: untimed }] }]);
    await using server = await vendor({ status: 200, body, headers: { etag: '"v1"' } }, { status: 304 });
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(fed.messages).toHaveLength(1));
    expect(fed.messages[0]).toMatchObject({ ts: NOW });
    fed.clock.now += 100_000;
    await until(() => expect(fed.messages).toHaveLength(2));
    expect(fed.messages[1]).toMatchObject({ ts: NOW + 100_000, values: fed.messages[0]?.values });
  });

  it('reports a refusal once and without the key, waits as long as the vendor asks, and reports its recovery', async () => {
    await using server = await vendor(
      { status: 429, headers: { 'retry-after': '1' }, body: '{"message":"slow down"}' },
      { status: 200, body: BODY },
    );
    const began = performance.now();
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(fed.feed.problem).toMatch(/answers 429 \(too many requests\).*slow down/));
    await until(() => expect(fed.messages).toHaveLength(1));
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(fed.feed.problem).toBeUndefined();
    expect(fed.logged).toHaveLength(2);
    expect(fed.logged.join(' ')).not.toContain('s3cret');
  });

  it.each([
    [{ status: 401, body: 'no such key' }, /answers 401 \(the key is refused, or used up\): no such key/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /answers 302 \(it is somewhere else/],
    [{ status: 200, body: '{"message":"quota"}' }, /cannot be read: it is no list of events: it says "quota"/],
    [{ status: 200, body: '[' }, /cannot be read: it is no JSON/],
  ])('explains the answer %j', async (answer, text) => {
    await using server = await vendor(answer);
    await using fed = feeding(httpOdds(server.url, Date.now));
    await until(() => expect(fed.feed.problem).toMatch(text));
    expect(fed.messages).toEqual([]);
  });

  it('stays in its problem while the vendor repeats an unreadable document, and does not refresh older prices', async () => {
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
    expect(fed.logged.filter((line) => line.includes('works again'))).toEqual([]);
    expect(fed.messages.map(({ ts }) => ts)).toEqual([NOW]);
  });

  it('asks an unreachable vendor less and less often', async () => {
    const pauses: number[] = [];
    let answeredAt: number | undefined;
    const away = httpOdds(`http://127.0.0.1:${await closedPort()}/`, Date.now);
    await using fed = feeding(async (signal) => {
      // measured from an answer to the next request, since the first request takes a while
      if (answeredAt !== undefined) pauses.push(performance.now() - answeredAt);
      const reading = await away(signal);
      answeredAt = performance.now();
      return reading;
    });
    await until(() => expect(pauses.length).toBeGreaterThan(3));
    expect(pauses[3]).toBeGreaterThan(2 * (pauses[0] ?? 0));
    expect(fed.logged).toHaveLength(1);
    expect(fed.feed.problem).toMatch(/127\.0\.0\.1:\d+\/ does not answer: .*ECONNREFUSED/);
  });
});

describe('an odds feed in a file', () => {
  it('is read again when the file changes, also when it lists home and away the other way round', async () => {
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
      table: { RWR: 'Redwood Rangers', 'Harbour Herons': 'Harbor City Herons', Unknown: 'Redwood Ranger' },
    });
    await until(() => expect(fed.feed.problem).toMatch(/odds\.json is not there/));
    writeFileSync(path, turned({ RWR: 2.74, 'Harbour Herons': 1.5 }));
    await until(() => expect(fed.messages).toHaveLength(1));
    const values = fed.messages[0]?.values ?? {};
    expect(Object.keys(values)).toEqual([MONEYLINE, `odds:${GAME.id}/spread/-3.5`, `odds:${GAME.id}/total/200`]);
    expect(values[MONEYLINE]).toBeCloseTo(0.6508516, 7);
    expect(values[`odds:${GAME.id}/spread/-3.5`]).toBeLessThan(0.5);
    expect(values[`odds:${GAME.id}/total/200`]).toBeCloseTo(0.5, 9);
    writeFileSync(path, turned({ RWR: 2.7, 'Harbour Herons': 1.52 }).concat(' '));
    await until(() => expect(fed.messages).toHaveLength(2));
    expect(Object.keys(fed.messages[1]?.values ?? {})).toEqual([MONEYLINE]);
    expect(fed.logged.filter((line) => line.includes('signals.odds.teams'))).toEqual([
      expect.stringContaining('Redwood Ranger; did you mean Redwood Rangers?'),
    ]);
  });

  it('reports once each event without a game, each bookmaker it lacks, and each market without a price', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(
      path,
      JSON.stringify([EVENT, event('Owls', 'Bears', [], { sport_key: 'soccer_epl' }), { id: 'rubbish' }]),
    );
    await using fed = feeding(fileOdds(path), { weights: { pin: 1, pinacle: 2 }, draw: 'both-lose' });
    await until(() => expect(fed.logged).toHaveLength(4));
    expect(fed.feed.details).toMatchObject({
      events: 2,
      matched: 1,
      prices: 0,
      skipped: { events: 1, markets: 0 },
      unmatched: ['Bears @ Owls, 2030-01-01T13:00:00.000Z: no game has these teams'],
      withoutPrice: [expect.stringContaining('a draw loses both bets')],
    });
    expect(fed.logged.join('\n')).toMatch(/no such bookmakers.*pinacle/);
    expect(fed.messages).toEqual([]);
  });

  it('withdraws the price of a market at once when no bookmaker offers it', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    await using fed = feeding(fileOdds(path));
    await until(() => expect(fed.messages).toHaveLength(1));
    writeFileSync(path, JSON.stringify([{ ...EVENT, bookmakers: [] }]));
    await until(() => expect(fed.messages).toHaveLength(2));
    expect(fed.messages[1]?.values).toEqual({ [MONEYLINE]: null });
    writeFileSync(path, `${BODY} `);
    await until(() => expect(fed.messages).toHaveLength(3));
    expect(fed.messages[2]?.values).toEqual(fed.messages[0]?.values);
  });

  it('reports a problem while the file holds an unreadable document', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    const { read, again } = counted(fileOdds(path));
    await using fed = feeding(read);
    await until(() => expect(fed.messages).toHaveLength(1));
    writeFileSync(path, '{"message":"quota"}');
    await until(() => expect(fed.feed.problem).toContain('it says "quota"'));
    await again(8);
    expect(fed.feed.problem).toContain('it says "quota"');
    expect(fed.logged).toHaveLength(1);
    writeFileSync(path, `${BODY} `);
    await until(() => expect(fed.feed.problem).toBeUndefined());
    expect(fed.logged.at(-1)).toContain('works again');
  });

  it('reports a document whose parts are all left out as a problem, also at later readings, and withdraws its prices', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    const { read, again } = counted(fileOdds(path));
    await using fed = feeding(read);
    await until(() => expect(fed.messages).toHaveLength(1));
    const problem = "nothing in the feed's document can be read: events left out: 1, markets: 1";
    const unpriced = book('pin', { h2h: { ...H2H, 'Redwood Rangers': 0 } });
    writeFileSync(path, JSON.stringify([{ ...EVENT, bookmakers: [unpriced] }, 'rubbish']));
    await until(() => expect(fed.feed.problem).toBe(problem));
    await until(() => expect(fed.messages.slice(1).map(({ values }) => values)).toEqual([{ [MONEYLINE]: null }]));
    await again(8);
    expect(fed.feed.problem).toBe(problem);
    // a feed without games is no problem
    writeFileSync(path, '[]');
    await until(() => expect(fed.feed.problem).toBeUndefined());
  });

  it('refuses a pipe or a folder as no file, and reads a file that replaces it', async () => {
    const dir = folder();
    expect(await fileOdds(dir)(new AbortController().signal)).toEqual({ type: 'failed', problem: `${dir} is no file` });
    const path = join(dir, 'odds.json');
    execFileSync('mkfifo', [path]);
    await using fed = feeding(fileOdds(path));
    await until(() => expect(fed.feed.problem).toBe(`${path} is no file`));
    rmSync(path);
    writeFileSync(path, BODY);
    await until(() => expect(fed.messages).toHaveLength(1));
  });

  it('closes while a reading never ends, and ignores its later result', async () => {
    const reading = Promise.withResolvers<OddsReading>();
    const fed = feeding(() => reading.promise);
    await fed.feed.close();
    reading.resolve({ type: 'new', text: BODY });
    await new Promise((done) => setImmediate(done));
    expect(fed.messages).toEqual([]);
    expect(fed.feed.details).toMatchObject({ events: 0 });
  });

  it('logs the number of parts left out again whenever it has doubled', async () => {
    const path = join(folder(), 'odds.json');
    await using fed = feeding(fileOdds(path));
    for (const bad of [1, 1, 3, 2, 9]) {
      writeFileSync(path, JSON.stringify([EVENT, ...Array<string>(bad).fill('rubbish')]));
      await until(() => expect(fed.feed.details).toMatchObject({ skipped: { events: bad } }));
    }
    expect(
      fed.logged.filter((line) => line.includes('left out')).map((line) => /"events":(\d+)/.exec(line)?.[1]),
    ).toEqual(['1', '3', '9']);
  });

  it('reports that the list of games fails, and prices again when it works', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    let isBroken = true;
    const games = (): readonly Game[] => {
      if (isBroken) throw new Error('no games');
      return [GAME];
    };
    await using fed = feeding(fileOdds(path), { games });
    await until(() => expect(fed.feed.problem).toBe("the feed's document cannot be priced: no games"));
    expect(fed.logged).toHaveLength(1);
    isBroken = false;
    await until(() => expect(fed.messages).toHaveLength(1));
    await until(() => expect(fed.feed.problem).toBeUndefined());
  });

  it('prices the other events when one event has an absurd time or cannot be priced', async () => {
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
    await until(() => expect(fed.messages).toHaveLength(1));
    expect(Object.keys(fed.messages[0]?.values ?? {})).toEqual([MONEYLINE]);
    expect(fed.feed.problem).toBeUndefined();
    expect(fed.feed.details).toMatchObject({
      events: 2,
      skipped: { events: 1, markets: 0 },
      withoutPrice: ['Bears @ Owls: it cannot be priced: no such league'],
    });
  });

  it('has no price when every quote is old', async () => {
    const path = join(folder(), 'odds.json');
    writeFileSync(path, BODY);
    await using fed = feeding(fileOdds(path));
    await until(() => expect(fed.messages).toHaveLength(1));
    fed.clock.now += 110_000;
    await until(() => expect(fed.feed.details).toMatchObject({ matched: 1, prices: 0 }));
    expect(fed.messages.slice(1).map(({ values }) => values)).toEqual([{ [MONEYLINE]: null }]);
  });

  it('logs a reason why there is no price once, whatever its numbers', async () => {
    const wrong = (price: number) => book('wrong', { h2h: { 'Harbor City Herons': price, 'Redwood Rangers': 1.01 } });
    const honest = [book('a', { h2h: H2H }), book('b', { h2h: H2H })];
    const documents = [50, 60, 70].map((price) =>
      JSON.stringify([{ ...EVENT, bookmakers: [...honest, wrong(price)] }]),
    );
    let readings = 0;
    await using fed = feeding(() => Promise.resolve({ type: 'new', text: documents[readings++ % 3] ?? '' }));
    await until(() => expect(readings).toBeGreaterThan(6));
    expect(fed.logged.filter((line) => line.includes('wrong'))).toHaveLength(1);
  });
});
