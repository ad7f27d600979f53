import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { map } from 'rxjs';
import { z } from 'zod';
import type { Command, QuoteIntent } from '../../src/domain/index.ts';
import { centsOfDollars, EVENT_TYPES, oddsOf } from '../../src/domain/index.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { folder, run } from '../support/children.ts';
import { cli } from '../support/journals.ts';
import type { Overrides } from '../support/core-driver.ts';
import { GOOD_DISK } from '../support/disk.ts';
import {
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  editsIn,
  GAME_ID,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

type Place = Extract<Command, { type: 'place' }>;

const HEADER = { version: '1.2.3', config: {}, strategies: [], profile: DEFAULT_PROFILE };

/** Joins the best offer of the others on both sides, whatever the bot holds. */
const joinBest = defineStrategy({
  name: 'join',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map((view): QuoteIntent => ({
        market: view.market.id,
        quotes: view.sides.flatMap(({ side, offers: [best] }) =>
          best === undefined ? [] : [{ side, risk: centsOfDollars(100), odds: oddsOf(best.rung) }],
        ),
      })),
    ),
});

/** A core whose every step is journalled, as the bot does it. */
class Journalled extends CoreDriver {
  readonly #writer = new JournalWriter(join(folder(), 'journal.ndjson'), HEADER, GOOD_DISK);

  constructor(overrides: Overrides = {}) {
    super(coreSettings(overrides, joinBest, {}));
    this.record = (...step) => this.#writer.record(...step);
  }

  async close(): Promise<string> {
    await this.#writer.close();
    return this.#writer.file;
  }

  /** The first quotes, home and away. */
  quote(): Place {
    return theOnly(placesIn(this.start()));
  }

  /** Moves the market so that another price is wanted for the first order. */
  move(): readonly Command[] {
    return this.frame('p-home', [{ id: 'h9', odds: 125, risk: 150 }]);
  }
}

function theOnly<T>(list: readonly T[]): T {
  const [first, ...rest] = list;
  if (first === undefined || rest.length > 0) throw new Error(`${list.length} instead of one`);
  return first;
}

const why = (...args: readonly string[]): ReturnType<typeof cli> => cli('why', ...args);

const name = z.strictObject({ ref: z.string().nullable(), orderId: z.string().nullable() }).nullable();
const market = z
  .strictObject({ type: z.string(), side: z.string().nullable(), line: z.number().nullable() })
  .nullable();
const text = z.string().nullable();
const number = z.number().nullable();
const EVENTS = z.looseObject({
  seq: z.int().positive(),
  at: z.iso.datetime(),
  ms: z.number(),
  type: z.enum(['IntentBrought', 'PermitGranted', ...EVENT_TYPES]),
});
const STORY = z.strictObject({
  schema: z.literal(2),
  journal: z.strictObject({
    file: z.string(),
    records: z.int(),
    torn: z.strictObject({ file: z.string(), line: z.int(), problem: z.string(), verified: z.int() }).nullable(),
  }),
  order: z.strictObject({
    ref: text,
    orderId: text,
    orderIds: z.array(z.string()),
    ofThisRun: z.boolean(),
    gameId: text,
    game: text,
    league: text,
    market,
    odds: number,
    risk: number,
    replaces: name,
    replacedBy: name,
    next: name,
  }),
  events: z.array(EVENTS),
  outcome: z.strictObject({
    status: z.string(),
    endedBy: text,
    restedMs: number,
    filled: z.number(),
    risk: number,
    fills: z.int(),
  }),
});
type Story = z.infer<typeof STORY>;

/** The story of an order, read from the output as JSON and as text. */
async function storyOf(file: string, order: string): Promise<Story & { readonly lines: string }> {
  const json = await why(file, order, '--json');
  expect(json).toMatchObject({ code: 0, err: '' });
  expect(json.out.endsWith('}\n')).toBe(true);
  const forPeople = await why(file, order);
  expect(forPeople).toMatchObject({ code: 0, err: '' });
  return { ...STORY.parse(JSON.parse(json.out)), lines: forPeople.out };
}

const typesOf = ({ events }: Story): string[] =>
  events.map((event) => (event.type === 'Alert' ? String(event['code']) : event.type));

const sizeOf = (order: { readonly risk: number }): number => order.risk / 100;

/** A place, an edit of the first order, two takes of the edited order, and the end of the run. */
async function edited(): Promise<{ file: string; first: string; second: string }> {
  const driver = new Journalled();
  const place = driver.quote();
  driver.passTime(250);
  driver.accept(place, 'o-');
  driver.passTime(500);
  const edit = theOnly(editsIn(driver.move()));
  const size = sizeOf(edit.order);
  const odds = oddsOf(edit.order.rung);
  driver.now += 40;
  // the new id begins with the id of the replaced order
  const own = { orderID: 'o-00', odds, offered: size, userReference: edit.order.ref };
  driver.reply(edit.req, {
    data: { cancelled: { success: true, filled: 0 }, matched: [], unmatched: { ...own, remaining: size } },
  });
  driver.position({ orderID: 'o-0', odds: 1, offered: 0, filled: 0, remaining: 0 });
  driver.position({ ...own, filled: 0, remaining: size });
  driver.passTime(1000);
  driver.position({ ...own, filled: 20, remaining: size - 20 }, { txID: 't1', filled: 20, odds });
  driver.position({ ...own, filled: 25, remaining: size - 25 }, { txID: 't2', filled: 5, odds });
  // the same fill again, as an exchange repeats it after a reconnect
  driver.position({ ...own, filled: 25, remaining: size - 25 }, { txID: 't2', filled: 5, odds });
  driver.passTime(250);
  const cancel = theOnly(cancelsIn(driver.input({ type: 'operator', command: 'stop' })));
  driver.now += 15;
  driver.reply(cancel.req, {
    data: cancel.orderIds.map((id) => ({ sessionID: id, success: true, filled: id === 'o-00' ? 25 : 0 })),
  });
  return { file: await driver.close(), first: refOf(place, 0), second: edit.order.ref };
}

const refOf = (place: Place, index: number): string => place.orders[index]?.ref ?? '';
const lastLine = (lines: string): string => lines.trimEnd().split('\n').at(-1) ?? '';

/** The part of an answer to a place that says that an order rests. */
const resting = (place: Place, index: number, orderID: string): unknown => {
  const order = place.orders[index];
  if (order === undefined) throw new Error('no such order');
  const size = sizeOf(order);
  return {
    matched: [],
    unmatched: {
      orderID,
      offered: size,
      remaining: size,
      odds: oddsOf(order.rung),
      userReference: order.ref,
    },
  };
};

describe('oddsmaker why', () => {
  it('shows the frame, the reason, the permit, the request, the answer, the fills and the cancel of an order', async () => {
    const { file, first, second } = await edited();
    const story = await storyOf(file, second);
    expect(typesOf(story)).toEqual([
      'PermitGranted',
      'PermitGranted',
      'IntentBrought',
      'OrderSubmitted',
      'OrderAccepted',
      'OrderRested',
      'Fill',
      'Fill',
      'CancelSubmitted',
      'RequestAnswered',
      'OrderEnded',
    ]);
    expect(story.order).toMatchObject({
      ref: second,
      orderIds: ['o-00'],
      ofThisRun: true,
      gameId: GAME_ID,
      game: 'Away @ Home',
      league: 'NBA',
      market: { type: 'moneyline', side: 'home', line: null },
      odds: 125,
      risk: 100,
      replaces: { ref: first, orderId: 'o-0' },
      replacedBy: null,
    });
    const [intent, request, accepted, rested] = story.events.slice(2);
    expect(intent).toMatchObject({
      feed: 'prices',
      event: 'orderUpdate',
      gameId: GAME_ID,
      market: 'moneyline',
      best: { odds: 125, left: 150 },
      ms: 0,
    });
    expect(request).toMatchObject({
      seq: intent?.seq,
      ref: second,
      odds: 125,
      risk: 10_000,
      replaces: 'o-0',
      why: { cause: 'generous', intent: intent?.seq, over: 'wait' },
    });
    expect(story.events.filter(({ type }) => type === 'PermitGranted').map(({ ms }) => ms)).toEqual([-750, -750]);
    expect(accepted).toMatchObject({ latencyMs: 40, status: 200, orderId: 'o-00' });
    expect(rested).toMatchObject({ from: 'reply', rank: 2 });
    expect(story.outcome).toEqual({
      status: 'cancelled',
      endedBy: 'cancel',
      restedMs: 1265,
      filled: 25,
      risk: 100,
      fills: 2,
    });
    expect(story.journal.torn).toBeNull();
    for (const line of [
      `replaced  ${first} (o-0), by an edit\n`,
      `orderUpdate of the price feed: moneyline of ${GAME_ID}, best +125 for $150.00\n`,
      `${second}: $100.00 at +125 on moneyline home of ${GAME_ID}, in place of o-0 (request `,
      'why: the resting price gave away more than was wanted (generous), by the intent of #',
      `$5.00 at +125 on moneyline home of ${GAME_ID} (main, ${second}; t2)\n`,
      'why: nothing was wanted there any more (unwanted)\n',
    ])
      expect(story.lines).toContain(line);
    expect(lastLine(story.lines)).toBe(
      'In the end: cancelled by the bot after 1265 ms at rest, $25.00 of $100.00 filled in 2 fills',
    );
  });

  it('shows that an edit replaced an order, and which order took its place', async () => {
    const { file, first, second } = await edited();
    // a complete id wins over an id that only begins with it
    const story = await storyOf(file, 'o-0');
    expect(story.order).toMatchObject({ ref: first, replacedBy: { ref: second, orderId: 'o-00' } });
    expect(typesOf(story)).toEqual([
      'PermitGranted',
      'PermitGranted',
      'IntentBrought',
      'OrderSubmitted',
      'OrderAccepted',
      'OrderRested',
      'IntentBrought',
      'OrderSubmitted',
      'RequestAnswered',
      'OrderEnded',
    ]);
    expect(story.outcome).toMatchObject({ status: 'cancelled', endedBy: 'edit', restedMs: 540, fills: 0 });
    expect(story.lines).toContain(`${second}: $100.00 at +125 on moneyline home of ${GAME_ID}, in place of o-0`);
    expect(lastLine(story.lines)).toBe(`In the end: replaced by ${second} (o-00) after 540 ms at rest, nothing filled`);
  });

  it('shows the evidence that settled an unanswered order, and which order never reached the book', async () => {
    const driver = new Journalled();
    const place = driver.quote();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'ECONNRESET' });
    for (let i = 0; i < 160; i++) {
      // books without updates would become stale
      if (i % 20 === 0) driver.frame('p-home', HOME);
      if (i % 20 === 0) driver.frame('p-away', AWAY);
      for (const { req, read } of readsIn(driver.passTime(250))) {
        if (read.what === 'open-orders') driver.reply(req, { data: { unmatched: [{ id: 'o-0' }] } });
        if (read.what !== 'reference') continue;
        const landed = read.ref === refOf(place, 0);
        const unmatched = landed ? [{ id: 'o-0', remaining: 60, userReference: read.ref }] : [];
        const matched = landed ? [{ txID: 't1', risk: 40, odds: 105 }] : [];
        driver.reply(req, { data: { unmatched, matched, graded: [] } });
        const own = { orderID: 'o-0', odds: 105, offered: 100, userReference: read.ref };
        if (landed) driver.position({ ...own, filled: 40, remaining: 60 });
      }
    }
    const file = await driver.close();
    const landed = await storyOf(file, refOf(place, 0));
    expect(typesOf(landed)).toEqual([
      'PermitGranted',
      'IntentBrought',
      'OrderSubmitted',
      'OrderUnknown',
      'FATE_UNKNOWN',
      'Fill',
      'OrderResolved',
      'OrderRested',
    ]);
    expect(landed.order.orderIds).toEqual(['o-0']);
    expect(landed.events.find(({ type }) => type === 'OrderResolved')).toMatchObject({ as: 'open', from: 'trail' });
    expect(landed.outcome).toMatchObject({ status: 'open', filled: 40, fills: 1, endedBy: null });
    expect(landed.lines).toContain('no answer to request 4 after 0 ms (ECONNRESET)');
    expect(lastLine(landed.lines)).toMatch(/^In the end: at rest where the journal ends after .* \$40\.00 of /);

    const lost = await storyOf(file, refOf(place, 1));
    expect(lost.outcome).toMatchObject({ status: 'never-landed', filled: 0, restedMs: null });
    const evidence = lost.events.filter(({ type }) => type === 'Evidence');
    expect(evidence.length).toBeGreaterThan(3);
    expect(evidence.at(-1)).toMatchObject({ from: 'trail', says: 'absent', status: 'never-landed' });
    expect(typesOf(lost)).toContain('NEVER_LANDED');
    expect(lastLine(lost.lines)).toBe('In the end: never answered, and it never reached the book');
  });

  it('shows an answer that arrived after the timeout', async () => {
    const driver = new Journalled();
    const place = driver.quote();
    driver.passTime(500);
    driver.input({ type: 'failure', req: place.req, failure: 'timeout', detail: 'no answer within 500 ms' });
    driver.passTime(250);
    driver.accept(place, 'o-');
    const story = await storyOf(await driver.close(), 'o-1');
    expect(story.events.find(({ type }) => type === 'OrderUnknown')).toMatchObject({ latencyMs: 500 });
    expect(story.events.find(({ type }) => type === 'OrderAccepted')).toMatchObject({ latencyMs: 750, orderId: 'o-1' });
    expect(story.outcome).toMatchObject({ status: 'open', restedMs: 0 });
  });

  it('shows why the exchange refused an order, and replaces control characters of a terminal', async () => {
    const driver = new Journalled();
    const place = driver.quote();
    const refusal = { error: 'Would\u001b[2J match', errorType: 'post_would_match' };
    driver.reply(place.req, { data: { createdSessions: [resting(place, 0, 'o-0'), refusal] } });
    const story = await storyOf(await driver.close(), refOf(place, 1));
    expect(typesOf(story)).toEqual([
      'PermitGranted',
      'IntentBrought',
      'OrderSubmitted',
      'OrderRejected',
      'ORDER_REFUSED',
      'OrderEnded',
    ]);
    expect(story.events.find(({ type }) => type === 'OrderRejected')).toMatchObject({
      code: 'post_would_match',
      reason: 'Would\u001b[2J match',
    });
    expect(story.outcome).toMatchObject({ status: 'refused', restedMs: null });
    expect(story.lines).toContain('(post_would_match: Would\ufffd[2J match)');
    expect(lastLine(story.lines)).toBe(
      'In the end: refused by the exchange with 200, Would\ufffd[2J match; it never rested',
    );
  });

  it.each([
    [429, { retryAfterSeconds: 2 }, 'OrderRejected', 'refused'],
    [409, {}, 'OrderUnknown', 'unknown'],
    [500, {}, 'OrderUnknown', 'unknown'],
  ])(
    'calls an order of a batch answered with %d refused only where that answer proves it',
    async (status, details, type, end) => {
      const driver = new Journalled();
      const place = driver.quote();
      driver.reply(place.req, { error: { message: 'no', details } }, status);
      const story = await storyOf(await driver.close(), refOf(place, 0));
      expect(typesOf(story)).toContain(type);
      expect(story.outcome.status).toBe(end);
    },
  );

  it('shows that the request of an order was held back and never left', async () => {
    const driver = new Journalled();
    const place = driver.quote();
    driver.input({ type: 'failure', req: place.req, failure: 'not-sent', detail: 'a fence stands' });
    const story = await storyOf(await driver.close(), refOf(place, 0));
    expect(story.outcome.status).toBe('not-sent');
    expect(lastLine(story.lines)).toContain('In the end: its request never left: ');
    expect(lastLine(story.lines)).toContain('a fence stands');
  });

  it('shows that a cancel of everything on the account ended an order', async () => {
    const driver = new Journalled();
    driver.accept(driver.quote(), 'o-');
    driver.passTime(1000);
    const all = driver.input({ type: 'operator', command: 'cancel-all' });
    const bulk = theOnly(all.filter((command) => command.type === 'cancel-all'));
    driver.reply(bulk.req, { data: {} });
    driver.passTime(250);
    driver.position({ orderID: 'o-1', odds: 105, offered: 0, filled: 0, remaining: 0 });
    const story = await storyOf(await driver.close(), 'o-1');
    expect(typesOf(story).slice(-3)).toEqual(['CancelSubmitted', 'RequestAnswered', 'OrderEnded']);
    expect(story.outcome).toMatchObject({ status: 'cancelled', endedBy: 'cancel-all', restedMs: 1250 });
    expect(story.lines).toContain('everything on the account (request ');
  });

  it('shows that an order ended at the exchange without a request of the bot', async () => {
    const driver = new Journalled();
    driver.accept(driver.quote(), 'o-');
    driver.position({ orderID: 'o-1', odds: 105, offered: 0, filled: 0, remaining: 0 });
    const story = await storyOf(await driver.close(), 'o-1');
    expect(story.outcome).toMatchObject({ status: 'cancelled', endedBy: 'exchange' });
    expect(lastLine(story.lines)).toContain('ended by the exchange after 0 ms at rest, without a request of the bot');
  });

  it('shows an order of an earlier run or of another party as far as this run saw it', async () => {
    const driver = new Journalled();
    const row = { gameID: GAME_ID, type: 'moneyline', participantID: 'p-away', odds: 105, risk: 100 };
    driver.census = {
      orders: [
        { ...row, id: 'old', userReference: 'a.main.#0.before-7', remaining: 70 },
        { ...row, id: 'web', risk: 80, remaining: 80 },
      ],
      plays: [{ ...row, txID: 't7', risk: 30, orderID: 'old', userReference: 'a.main.#0.before-7' }],
    };
    driver.start();
    const file = await driver.close();
    const adopted = await storyOf(file, 'a.main.#0.before-7');
    expect(adopted.order).toMatchObject({
      ofThisRun: false,
      orderIds: ['old'],
      market: { type: 'moneyline', side: 'away' },
      odds: 105,
      risk: 100,
    });
    expect(typesOf(adopted)).toEqual(
      expect.arrayContaining(['OrderInherited', 'OrderRested', 'Fill', 'ORDER_ADOPTED']),
    );
    expect(adopted.outcome).toMatchObject({ filled: 30, fills: 1 });
    expect(adopted.lines).toContain('whose     no request of this run placed it\n');
    const foreign = await storyOf(file, 'web');
    expect(foreign.order).toMatchObject({ ref: null, ofThisRun: false, risk: 80 });
    expect(typesOf(foreign)).toEqual(expect.arrayContaining(['ExternalOrder', 'FOREIGN_ORDER']));
    expect(foreign.outcome.status).toBe('external');
  });
});

describe('oddsmaker why with a part of an order name', () => {
  it('lists all orders that match and exits with 2 when several do', async () => {
    const { file, first, second } = await edited();
    for (const [part, count] of [
      ['a.main', 3],
      ['o-', 3],
      ['', 0],
    ] as const) {
      const { code, out, err } = await why(file, part);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      if (count > 0) expect(err).toContain(`${count} orders match "${part}":\n`);
      if (count > 0) expect(err).toContain(`  ${first} (o-0)\n`);
      if (count > 0) expect(err).toContain(`  ${second} (o-00)\n`);
    }
  });

  it('finds the order when only one begins or ends with that part', async () => {
    const { file, first, second } = await edited();
    expect((await storyOf(file, second.slice(2))).order.ref).toBe(second);
    expect((await storyOf(file, `a.${first.slice(2)}`)).order.ref).toBe(first);
    expect((await storyOf(file, '00')).order.ref).toBe(second);
    // the end of a reference looks like a flag
    expect((await why(file, '--', '-3')).out).toContain(`order     ${second}\n`);
  });

  it('exits with 2, the number of orders and the closest names when no order matches', async () => {
    const { file, second } = await edited();
    const { code, out, err } = await why(file, second.replace('a.', 'b.'));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^oddsmaker: no order matches "b\.main\.#0\.run-3"; the journal has 3, the closest/);
    expect(err.split('\n').slice(1, -1)).toHaveLength(3);
    expect(err.split('\n')[1]).toBe(`  ${second} (o-00)`);
  });

  it('says when the journal has no orders', async () => {
    const driver = new Journalled();
    driver.input({ type: 'boot', run: 'run' });
    const { code, err } = await why(await driver.close(), 'a.main');
    expect(code).toBe(2);
    expect(err).toContain('the journal has no orders');
  });
});

describe('oddsmaker why on a journal', () => {
  const cut = (file: string, bytes: (content: Buffer) => Buffer): string => {
    const changed = join(folder(), 'changed.ndjson');
    writeFileSync(changed, bytes(readFileSync(file)));
    return changed;
  };
  const linesIn = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

  it.each([
    ['in the middle of a record', -30, /:\d+: the journal is torn here; .* Read up to record \d+; no chain/],
    ['between two records', 0, /:\d+: the closing record is missing: the journal is torn; its run .* Read up to/],
  ])('shows an order up to where the journal is torn %s, and warns on stderr', async (_where, from, says) => {
    const { file, second } = await edited();
    const lines = linesIn(file);
    // the answer to the cancel and everything after it are lost
    const end = lines.findIndex((line) => line.includes('"sessionID"'));
    const kept = lines.slice(0, end).join('\n');
    const torn = cut(file, () => Buffer.from(`${kept}\n${from < 0 ? (lines[end]?.slice(0, from) ?? '') : ''}`));
    const { code, out, err } = await why(torn, second);
    expect(code).toBe(0);
    expect(err).toMatch(says);
    expect(err).toContain(`${torn}:${from < 0 ? end + 1 : end}: `);
    expect(lastLine(out)).toBe(
      'In the end: its cancel was on the way where the journal breaks off after 1250 ms at rest, $25.00 of $100.00 filled in 2 fills',
    );
    const json = await why(torn, second, '--json');
    const story = STORY.parse(JSON.parse(json.out));
    expect(story.journal).toMatchObject({ records: json.err.match(/record (\d+)/)?.map(Number)[1] });
    expect(story.journal.torn).toMatchObject({ verified: 0 });
    expect(story.outcome.status).toBe('cancelling');
  });

  it.each<[string, (lines: string[]) => readonly string[], RegExp]>([
    [
      'a changed record',
      (lines) => lines.map((line) => line.replace('"odds":125', '"odds":126')),
      /the chain does not match/,
    ],
    [
      'a changed record before its last chain record, though it is torn',
      (lines) => [...lines.map((line) => line.replace('"odds":125', '"odds":126')), '{"seq":1,"t":'],
      /the chain does not match/,
    ],
    ['a line that is no JSON', (lines) => lines.toSpliced(40, 1, 'x'), /:41: not JSON, and more follows/],
    [
      'a missing record',
      (lines) => lines.filter((line) => !line.startsWith('{"seq":20,')),
      /:\d+: record 20 is missing/,
    ],
    ['a torn header', (lines) => [lines[0]?.slice(0, 20) ?? ''], /:1: /],
    ['nothing', () => [], /:1: /],
  ])('refuses a journal with %s, with exit code 65, file and line', async (_what, change, says) => {
    const { file, second } = await edited();
    const changed = cut(file, () => Buffer.from(change(linesIn(file)).join('\n')));
    const { code, out, err } = await why(changed, second);
    expect({ code, out }).toEqual({ code: 65, out: '' });
    expect(err.startsWith(`oddsmaker: ${changed}:`)).toBe(true);
    expect(err).toMatch(says);
  });

  it('refuses a missing journal with exit code 65, in a process of its own', async () => {
    const none = join(folder(), 'none.ndjson');
    const { code, stdout, stderr } = await run(['why', none, 'x']);
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' });
    expect(stderr).toContain(`${none}:0: the file cannot be read`);
  });

  it('writes to stdout and nothing to stderr, in a process of its own', async () => {
    const { file, second } = await edited();
    const { code, stdout, stderr } = await run(['why', file, second, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(STORY.parse(JSON.parse(stdout)).order.ref).toBe(second);
  });
});
