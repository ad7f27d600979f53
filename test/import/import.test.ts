import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import type { ImportOptions } from '../../src/import/betfair.ts';
import { importBetfair } from '../../src/import/betfair.ts';
import { folder } from '../support/children.ts';
import { BASIC, defined, definition, line, MARKET, runner, sizes, textOf } from './made-stream.ts';
import { MARKET_BZ2 } from './packed-market.ts';

type Files = Readonly<Record<string, string | Buffer>>;

/** Writes these files to a new folder. */
function place(files: Files): string {
  const dir = folder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

async function tarOf(files: Files): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  return buffer(archive);
}

async function importFrom(names: readonly string[], overrides: Partial<ImportOptions> = {}) {
  const out = folder();
  const imported = await importBetfair(names, {
    out,
    league: 'NBA',
    depth: 20,
    showsTaken: true,
    bad: () => undefined,
    ...overrides,
  });
  const bad = imported.bad.map(({ name, problem }) => `${basename(name)}: ${problem}`);
  const tapes = imported.tapes.map(({ file }) => basename(file));
  return { ...imported, out, bad, tapes };
}

const linesOf = (out: string, tape: string): Record<string, unknown>[] =>
  zstdDecompressSync(readFileSync(join(out, tape)))
    .toString()
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
type Row = { odds: number; risk: number; sumUntaken: number };
type Frame = { participantID?: string; OU?: string; sideOrders: Row[]; live: boolean };
const framesOf = (lines: readonly Record<string, unknown>[]): Frame[] =>
  lines.flatMap(({ event, data }) => (event === 'orderUpdate' ? [JSON.parse(data as string) as Frame] : []));
const TAPE = '2026-03-01-ash-foxes-birch-owls-30000001.ndjson.zst';

describe('a Betfair book before its market definition', () => {
  const [first = '', ...others] = textOf(MARKET).trim().split('\n');
  type Message = { readonly mc: readonly (object & { readonly marketDefinition?: unknown })[] };
  const message = JSON.parse(first) as Message;
  const without = message.mc.map(({ marketDefinition: _, ...book }) => book);
  const alone = message.mc.map(({ marketDefinition }) => ({ id: '1.100000001', marketDefinition }));
  const idOf = (market: object): object => ({ ...market, id: (message.mc[0] as { id: string } | undefined)?.id });

  it('is kept until the definition arrives', async () => {
    const text = [
      JSON.stringify({ ...message, mc: without }),
      JSON.stringify({ ...message, mc: alone.map(idOf) }),
      ...others,
    ].join('\n');
    const [late, usual] = [
      await importFrom([place({ 'market.json': text })]),
      await importFrom([place({ 'market.json': textOf(MARKET) })]),
    ];
    expect(late.bad).toEqual([]);
    expect(framesOf(linesOf(late.out, TAPE))).toEqual(framesOf(linesOf(usual.out, TAPE)));
  });

  it('is listed as left out when the definition never arrives', async () => {
    const text = `${JSON.stringify({ ...message, mc: without })}\n`;
    const { leftOut } = await importFrom([place({ 'market.json': text })]);
    expect(leftOut).toMatchObject([{ reason: 'its market definition never came' }]);
  });
});

describe('a single Betfair market', () => {
  it('becomes a tape in the format of the exchange', async () => {
    const { out, tapes, bad } = await importFrom([place({ 'market.json': textOf(MARKET) })]);
    expect([tapes, bad]).toEqual([[TAPE], []]);
    const lines = linesOf(out, TAPE);
    expect(lines[0]).toMatchObject({
      tape: 1,
      from: '2026-03-01T17:00:00.000Z',
      perspective: 'offerer',
      depth: 20,
    });
    const games = lines.filter(({ event }) => event === 'gameUpdate');
    expect(games.map(({ data }) => JSON.parse(data as string) as unknown)).toMatchObject([
      { id: 'bf-30000001', league: 'NBA', sport: 'basketball', live: false, messageType: 'marketOpen' },
      { live: true, ended: false },
      { live: true, ended: true, messageType: 'marketClosed' },
    ]);
    const frames = framesOf(lines);
    // home is the second runner of an event "A @ B"
    expect(frames[0]).toMatchObject({
      gameID: 'bf-30000001',
      type: 'moneyline',
      participantID: 'bf-2',
      sideOrders: [
        { odds: -153.8, risk: 80, sumUntaken: 80, takenRatio: 0, spread: null, OU: null },
        { odds: -150, risk: 60 },
      ],
    });
    // a backer's 10 at 2.5 take 15 of the 60 that the layer had at stake
    expect(frames[2]?.sideOrders[1]).toMatchObject({ risk: 60, sumUntaken: 45, takenRatio: 0.25 });
    expect(frames.at(-1)).toMatchObject({ live: true, sideOrders: [{ odds: -150 }] });
  });

  it('becomes the same tape however it is packed', async () => {
    const text = textOf(MARKET);
    const ways: Files = {
      'plain.json': text,
      'gzip.gz': gzipSync(text),
      'zstd.zst': zstdCompressSync(text),
      'bzip2.bz2': MARKET_BZ2,
      unnamed: MARKET_BZ2,
      'one.tar': await tarOf({ 'a/b/1.100.bz2': MARKET_BZ2 }),
      'deep.tar': await tarOf({ 'inner.tar': await tarOf({ '1.100': text }) }),
      'packed.tar.gz': gzipSync(await tarOf({ 'x/1.100.bz2': MARKET_BZ2, 'x/.DS_Store': 'rubbish' })),
    };
    const contents: Buffer[] = [];
    for (const [name, content] of Object.entries(ways)) {
      const { out, tapes, bad } = await importFrom([place({ [name]: content })]);
      expect([tapes, bad, readdirSync(out)], name).toEqual([[TAPE], [], [TAPE]]);
      contents.push(readFileSync(join(out, TAPE)));
    }
    expect(contents.every((content) => content.equals(contents[0] as Buffer))).toBe(true);
  });

  it('shows an offer that was taken completely once more, or leaves it out without showsTaken', async () => {
    const lines = [
      ...MARKET.slice(0, 2),
      sizes(2000, [{ id: 1, atl: [[2.6, 0]], trd: [[2.6, 60]], ltp: 2.6 }]),
      sizes(3000, [{ id: 1, atl: [[2.7, 5]] }]),
    ];
    const from = [place({ 'market.json': textOf(lines) })];
    const lefts = async (showsTaken: boolean) => {
      const { out } = await importFrom(from, { showsTaken });
      const away = framesOf(linesOf(out, TAPE)).filter(({ participantID }) => participantID === 'bf-1');
      return away.map(({ sideOrders }) => sideOrders.map(({ sumUntaken }) => sumUntaken));
    };
    expect(await lefts(true)).toEqual([
      [30, 60],
      [0, 60],
      [60, 5],
    ]);
    expect(await lefts(false)).toEqual([[30, 60], [60], [60, 5]]);
  });
});

describe('several Betfair markets', () => {
  const total = definition({
    marketType: 'OVER_UNDER_2105',
    runners: [runner(8, 'Under 210.5'), runner(9, 'Over 210.5')],
  });
  const TOTAL = [
    line(500, { id: '1.101', marketDefinition: total }),
    line(1500, { id: '1.101', rc: [{ id: 9, atl: [[1.9, 20]] }] }),
    // the total is suspended while the moneyline trades
    line(2500, { id: '1.101', marketDefinition: { ...total, status: 'SUSPENDED' } }),
    line(2600, { id: '1.101', marketDefinition: total }),
  ];
  const EVENT: Files = {
    '30000001/1.100.json': textOf(MARKET),
    '30000001/1.101.json': textOf(TOTAL),
    '30000001/1.102.json': textOf([defined(0, '1.102', { marketType: 'HALF_TIME' })]),
    // the whole event once more, as archives have it
    '30000001/30000001.json': textOf([...MARKET.slice(0, 2), ...TOTAL]),
  };

  it('of one event become one tape, by time, with each message once', async () => {
    const { out, tapes, leftOut, bad, files } = await importFrom([place(EVENT)]);
    expect([files, tapes, bad]).toEqual([4, [TAPE], []]);
    expect(leftOut).toMatchObject([{ id: '1.102', reason: expect.stringContaining('part') as string }]);
    const lines = linesOf(out, TAPE).slice(1);
    const times = lines.map(({ ts }) => ts as number);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const overs = framesOf(lines).filter(({ OU }) => OU === 'over');
    expect(overs.map(({ sideOrders }) => sideOrders.map(({ odds }) => odds))).toEqual([[-111.1], [], [-111.1]]);
    // the game itself did not close before its end
    const closed = lines.filter(({ data }) => (data as string).includes('marketClosed'));
    expect(closed).toHaveLength(0);
  });

  it('of several events in one file become one tape', async () => {
    const other = { eventId: '30000002', eventName: 'Cedar @ Dogwood' };
    const stream = [
      ...MARKET.slice(0, 2),
      defined(1500, '1.200', other),
      sizes(1600, [{ id: 2, atl: [[1.5, 9]] }], '1.200'),
    ];
    const {
      tapes,
      tapes: [tape = ''],
      out,
    } = await importFrom([place({ 'all.json': textOf(stream) })]);
    expect(tapes).toHaveLength(1);
    const ids = framesOf(linesOf(out, tape)).map((frame) => (frame as unknown as { gameID: string }).gameID);
    expect(new Set(ids)).toEqual(new Set(['bf-30000001', 'bf-30000002']));
  });

  it('give the same bytes whichever folder above them is given', async () => {
    const dir = place(EVENT);
    const above = await importFrom([dir]);
    const direct = await importFrom([join(dir, '30000001')]);
    expect(readFileSync(join(above.out, TAPE))).toEqual(readFileSync(join(direct.out, TAPE)));
  });
});

describe('a Betfair file that cannot be read', () => {
  it('is listed with the reason, and the import continues', async () => {
    const text = textOf(MARKET);
    const dir = place({
      'a-basic.json': textOf(BASIC),
      'b-notes.txt': 'Dear diary,\n',
      'c-cut.bz2': MARKET_BZ2.subarray(0, 300),
      'd-cut.gz': gzipSync(text).subarray(0, -20),
      'e-empty.bz2': '',
      'f-wrong.bz2': Buffer.concat([MARKET_BZ2.subarray(0, 200), Buffer.alloc(9), MARKET_BZ2.subarray(209)]),
      'g-cut.tar': (await tarOf({ '1.1.json': textOf(BASIC), '1.2.json': text })).subarray(0, 2000),
      'h-numbers.json': textOf([defined(0), sizes(1, [{ id: 1, atl: [[0.2, 3]] }])]),
      'i-none.json': textOf([sizes(1, [{ id: 1, atl: [[2, 3]] }])]),
      'z-good.json': text.replaceAll('1.100', '1.900').replaceAll('30000001', '30000009'),
      'z-same.json': text.replaceAll('1.100', '1.900'),
    });
    const reported: string[] = [];
    const { bad, tapes, leftOut } = await importFrom([dir, join(dir, 'gone')], {
      bad: ({ name }) => reported.push(basename(name)),
    });
    expect(bad).toEqual([
      'e-empty.bz2: the file is empty',
      'g-cut.tar: the archive is cut short',
      'gone: there is no such file or folder',
      expect.stringMatching(/^a-basic.json: BASIC data: .* get ADVANCED or PRO/),
      'b-notes.txt: line 1: this line is not JSON, or is cut short',
      'c-cut.bz2: the packed file is cut short',
      expect.stringMatching(/^d-cut.gz: the packed file is cut short/),
      expect.stringMatching(/^f-wrong.bz2: the packed file is damaged/),
      expect.stringMatching(/^1.1.json: BASIC data/),
      expect.stringMatching(/^h-numbers.json: line 2: market 1.100: runner 1: "atl" must be/),
      'i-none.json: no market is defined in it',
    ]);
    expect(reported).toHaveLength(bad.length);
    // a part of the packed file that is cut short could be read
    expect(tapes).toEqual([TAPE, TAPE.replace('30000001', '30000009')]);
    expect(leftOut).toMatchObject([
      { id: '1.100', reason: expect.stringMatching(/read already.*d-cut/) as string },
      { id: '1.900', reason: expect.stringMatching(/read already.*z-good/) as string },
    ]);
  });

  it('is read up to where it breaks off', async () => {
    const cut = Buffer.concat([MARKET_BZ2, MARKET_BZ2.subarray(0, 300)]);
    const { bad, out } = await importFrom([place({ 'two.bz2': cut })]);
    expect(bad).toEqual(['two.bz2: the packed file is cut short; read up to there']);
    expect(framesOf(linesOf(out, TAPE)).length).toBeGreaterThan(3);
    const torn = await importFrom([place({ 'torn.json': textOf(MARKET).slice(0, -30) })]);
    expect(torn.bad).toEqual(['torn.json: line 6: this line is not JSON, or is cut short; read up to there']);
    expect(torn.tapes).toEqual([TAPE]);
  });

  it('leaves nothing behind in the folder of the tapes', async () => {
    const cut = gzipSync(await tarOf({ '1.1.json': textOf(BASIC) })).subarray(0, -10);
    const { out, bad } = await importFrom([place({ 'a.tar.gz': cut })]);
    expect(bad.length).toBeGreaterThan(0);
    expect(readdirSync(out)).toEqual([]);
  });
});
