// The lean of the fill model as a real run implies it: the search for it, what a journal shows of its run,
// and the command.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrate, filledBetween, RealFills } from '../../src/backtest/calibration.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import type { MarketEvent } from '../../src/tape/index.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { cli, rewrite, writeFaultyJournal } from '../support/journals.ts';
import type { FaultyJournal } from '../support/journals.ts';

describe('the lean that fills as much as the run did', () => {
  /** Counts the calls and answers them. */
  const counted = (fillAt: (lean: number) => number) => {
    const leans: number[] = [];
    return {
      leans,
      fillAt: (lean: number): Promise<number> => {
        leans.push(lean);
        return Promise.resolve(fillAt(lean));
      },
    };
  };

  it('is found at the first try when fills are linear in it', async () => {
    const { fillAt, leans } = counted((lean) => 1000 + 4000 * lean);
    expect(await calibrate(2000, fillAt)).toEqual({ lean: 0.25, riskFilled: 2000 });
    expect(leans).toEqual([0, 1, 0.25]);
  });

  it.each([
    ['0 when the run filled less than takes alone', 800, { lean: 0, riskFilled: 1000 }],
    ['1 when the run filled more than takes and all vanished offers together', 9000, { lean: 1, riskFilled: 5000 }],
  ])('is %s', async (_what, target, expected) => {
    const { fillAt } = counted((lean) => 1000 + 4000 * lean);
    expect(await calibrate(target, fillAt)).toEqual(expected);
  });

  it('comes within 5 percent of the target in eight runs, however the fills bend with it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.double({ min: 0.1, max: 0.95, noNaN: true }),
        async (bend, part) => {
          const { fillAt, leans } = counted((lean) => 1000 + 4000 * lean ** bend);
          const target = 1000 + 4000 * part;
          const { lean, riskFilled } = await calibrate(target, fillAt);
          expect(leans.length).toBeLessThanOrEqual(8);
          expect(Math.abs(riskFilled - target)).toBeLessThan(0.05 * target);
          expect(leans).toContain(lean);
        },
      ),
    );
  });

  it('is the nearest of those that were tried, also when a larger lean fills less', async () => {
    const { fillAt, leans } = counted((lean) => (lean === 0 ? 100 : lean === 1 ? 900 : leans.length === 3 ? 470 : 300));
    const found = await calibrate(500, fillAt);
    expect(found).toEqual({ lean: leans[2], riskFilled: 470 });
    expect(leans.length).toBeGreaterThan(3);
  });

  it('is one of those that were tried, also when fills come in steps', async () => {
    const { fillAt, leans } = counted((lean) => (lean < 0.4 ? 100 : 900));
    const found = await calibrate(600, fillAt);
    expect(found.riskFilled).toBe(900);
    expect(leans).toContain(found.lean);
  });
});

describe('a journal given to --calibrate', () => {
  let folder = '';
  let faulty: FaultyJournal;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddsmaker-calibrate-'));
    // with this seed the run fills throughout
    faulty = await writeFaultyJournal(folder, { seed: 20 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('shows what its run filled, each play once, and when it ran', async () => {
    const { steps } = await readJournal(faulty.journal);
    const fills = new RealFills();
    for (const { input, events = [] } of steps) fills.applyEvents(input, events);
    // counted another way: the plays of the user feed, and the answers that came with a play
    const text = steps.map((step) => JSON.stringify(step)).join('\n');
    const txIds = new Set([...text.matchAll(/txID\\*":\\*"([0-9a-f]+)/g)].map(([, txId]) => txId));
    expect(fills.run?.fills).toHaveLength(txIds.size);
    expect(txIds.size).toBeGreaterThan(5);
    expect(fills.run).toMatchObject({ fromMs: steps[0]?.input.t, toMs: steps.at(-1)?.input.t });
    if (fills.run === undefined) throw new Error('no run');
    const { fromMs, toMs } = fills.run;
    const whole = filledBetween(fills.run, fromMs, toMs);
    const half = (fromMs + toMs) / 2;
    const halves = [filledBetween(fills.run, fromMs, half), filledBetween(fills.run, half + 1, toMs)];
    expect(whole.fills).toBe(txIds.size);
    for (const part of halves) expect(part.fills).toBeGreaterThan(0);
    expect((halves[0]?.riskFilled ?? 0) + (halves[1]?.riskFilled ?? 0)).toBeCloseTo(whole.riskFilled, 5);
  });

  it('is a tape, too: its frames, its connections and the books that it read', async () => {
    const events: MarketEvent[] = [];
    for await (const batch of decodeTape(faulty.journal, {})) events.push(...batch);
    const { steps } = await readJournal(faulty.journal);
    const count = (what: MarketEvent['what']): number => events.filter((event) => event.what === what).length;
    const inputs = steps.map(({ input }) => input.in);
    const updates = (event: string): number =>
      inputs.filter((input) => input.type === 'frame' && input.feed === 'prices' && input.event === event).length;
    expect(count('side')).toBe(updates('orderUpdate'));
    expect(count('side')).toBeGreaterThan(50);
    // every game was read at least once: without headers no order could be placed
    expect(count('game')).toBeGreaterThan(updates('gameUpdate') + 1);
    const feeds = inputs.flatMap((input) => (input.type === 'feed' && input.feed === 'prices' ? [input.status] : []));
    expect([count('up'), count('down')]).toEqual(
      ['up', 'down'].map((status) => feeds.filter((feedStatus) => feedStatus === status).length),
    );
    const times = events.map(({ ts }) => ts);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('calibrates the lean with itself as the tape, the same twice', async () => {
    const run = async (out: string): Promise<string> => {
      const { code, err } = await cli(
        ...['backtest', faulty.config, '--tape', faulty.journal, '--calibrate', faulty.journal, '--no-cache'],
        ...['--out', join(folder, out), '--fills', 'calibrated', '--latency', '30ms'],
      );
      expect([code, err]).toEqual([0, '']);
      return readFileSync(join(folder, out, 'result.json'), 'utf8');
    };
    const text = await run('once');
    const { inputs, scenarios } = resultSchema.parse(JSON.parse(text));
    expect(inputs.calibratedBy).toMatchObject({ file: faulty.journal, sha256: expect.any(String) as string });
    expect(inputs.calibratedBy?.fills).toBeGreaterThan(5);
    expect(scenarios.calibrated?.riskFilled).toBe(inputs.calibratedBy?.backtested);
    expect(scenarios.calibrated?.fills).toBe(inputs.calibratedBy?.backtestedFills);
    expect(await run('twice')).toBe(text);
  });

  it('is compared by what it filled during the time of the backtest', async () => {
    const { steps } = await readJournal(faulty.journal);
    const [first, last] = [steps[0]?.input.t ?? 0, steps.at(-1)?.input.t ?? 0];
    const to = new Date(first + (last - first) * 0.4).toISOString();
    const { code, err } = await cli(
      ...['backtest', faulty.config, '--tape', faulty.journal, '--calibrate', faulty.journal, '--no-cache'],
      ...['--out', join(folder, 'part'), '--fills', 'calibrated', '--to', to],
    );
    expect([code, err]).toEqual([0, '']);
    const { inputs } = resultSchema.parse(JSON.parse(readFileSync(join(folder, 'part', 'result.json'), 'utf8')));
    const fills = new RealFills();
    for (const { input, events = [] } of steps) fills.applyEvents(input, events);
    const part = (fills.run?.fills ?? []).filter(({ t }) => t <= Date.parse(to)).length;
    expect(part).toBeGreaterThan(0);
    expect(part).toBeLessThan(fills.run?.fills.length ?? 0);
    expect(inputs.calibratedBy?.fills).toBe(part);
    const none = await cli(
      ...['backtest', faulty.config, '--tape', faulty.journal, '--calibrate', faulty.journal, '--no-cache'],
      ...['--out', join(folder, 'none'), '--to', '300ms'],
    );
    expect(none.code).toBe(65);
    expect(none.err).toContain(`${faulty.journal}: no fill between`);
  });

  it('of another configuration is named with the differences', async () => {
    const other = await rewrite(faulty.journal, join(folder, 'other.ndjson'), {
      header: (header) => {
        const { risk, strategies, ...config } = header.config as Readonly<Record<string, object>>;
        return {
          ...header,
          config: {
            ...config,
            risk: { ...risk, maxGameLoss: 7 },
            log: { level: 'debug' },
            strategies: [...(strategies as readonly unknown[]), { id: 'second' }],
          },
          strategies: header.strategies.map((strategy) => ({ ...strategy, sha256: '0' })),
        };
      },
    });
    const { code, err } = await cli(
      ...['backtest', faulty.config, '--tape', faulty.journal, '--calibrate', other, '--no-cache'],
      ...['--out', join(folder, 'other'), '--fills', 'calibrated', '--latency', '30ms'],
    );
    expect(code).toBe(0);
    expect(err).toMatch(
      /other\.ndjson: its run was another one than is played here \(.*quotes\.ts, .*risk\.maxGameLoss.*\): the lean makes/,
    );
    expect(err).toContain('strategies.1');
    // a journal that names no strategy files
    const bare = await rewrite(faulty.journal, join(folder, 'bare.ndjson'), {
      header: ({ strategies, ...header }) =>
        ({ ...header, was: strategies }) as unknown as typeof header & { strategies: never[] },
    });
    const without = await cli(
      ...['backtest', faulty.config, '--tape', faulty.journal, '--calibrate', bare, '--no-cache'],
      ...['--out', join(folder, 'other'), '--fills', 'calibrated', '--latency', '30ms'],
    );
    expect(without.code).toBe(0);
    expect(without.err).toMatch(/bare\.ndjson: its run was another one than is played here \(.*quotes\.ts\)/);
  });

  it('of another time than the tapes is refused', async () => {
    const elsewhere = await rewrite(faulty.journal, join(folder, 'elsewhere.ndjson'), {
      steps: (steps) =>
        steps.map(({ input, commands }) => ({ input: { ...input, t: input.t + 86_400_000 }, commands })),
    });
    const { code, err } = await cli(
      ...['backtest', faulty.config, '--tape', faulty.journal, '--calibrate', elsewhere, '--no-cache'],
      ...['--out', join(folder, 'none')],
    );
    expect(code).toBe(65);
    expect(err).toContain(`the tapes end before the run of ${elsewhere}`);
  });
});
