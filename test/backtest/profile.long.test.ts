// `backtest --profile`: where the time goes and what is allocated, without any influence on the result.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { addedProfiles, hintOf, profileJson } from '../../src/backtest/profile/run-profile.ts';
import type { RunProfile } from '../../src/backtest/profile/run-profile.ts';
import { attributed } from '../../src/backtest/profile/attribute.ts';
import type { Frame } from '../../src/backtest/profile/frames.ts';
import { MARK } from '../../src/backtest/profile/marked-strategies.ts';
import { OWN_CODE } from '../../src/files/index.ts';
import { unpackFacts } from '../../src/report/index.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

/** Burns time in line 4 of another file, and allocates in line 9 of its own. */
const HELPER = `export const burn = (rounds: number): number => {
  let x = 1;
  for (let i = 0; i < rounds; i++)
    x = (x * 31 + i) % 1000003;
  return x;
};
`;
const HUNGRY = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
import { burn } from './burn.ts';
export default defineStrategy({
  name: 'hungry',
  params: z.object({ rounds: z.number(), rows: z.number() }),
  create: ({ params }) => {
    const fill = (): number => Array.from({ length: params.rows }, (_, row) => ({ row })).length;
    return (views$) =>
      views$.pipe(
        map(({ market }) => ({
          market: market.id,
          quotes: burn(params.rounds) + fill() < 0 ? [] : [{ side: market.sides[0], risk: 10_00, odds: 150 }],
        })),
      );
  },
});
`;

type Json = RunProfile & { readonly hint: string | null };
const profileIn = (out: string): Json => JSON.parse(readFileSync(join(out, 'profile.json'), 'utf8')) as Json;

async function backtest(config: string, tape: string, ...flags: readonly string[]) {
  const out = folder();
  const ended = await command(['backtest', config, '--tape', tape, '--out', out, ...flags]);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  return { ...ended, out };
}

const expectSameBytes = (a: string, b: string, names: readonly string[]): void => {
  for (const name of names) {
    const [before, after] = [a, b].map((out) => readFileSync(join(out, name)));
    // V8 writes a number in another form when the code that made it is compiled
    if (name === 'report-facts.bin' && before !== undefined && after !== undefined)
      expect(unpackFacts(after)).toEqual(unpackFacts(before));
    else expect(before !== undefined && after?.equals(before), name).toBe(true);
  }
};

describe('--profile', () => {
  let home = '';
  let tape = '';
  const configOf = (strategies: string): string =>
    writeConfig(`exchange: { embedded: {} }\nmarkets: { leagues: [NBA] }\n${strategies}${NO_JOURNAL}`, home);
  beforeAll(() => {
    home = folder();
    tape = join(home, 'game.ndjson.gz');
    writeGeneratedTape(tape, 30);
    writeFileSync(join(home, 'burn.ts'), HELPER);
    writeFileSync(join(home, 'hungry.ts'), HUNGRY);
  });

  it('changes no byte of the results, nor of the journal', async () => {
    const config = configOf(STRATEGIES);
    const flags = ['--fills', 'all', '--journal', '--orders'];
    const without = await backtest(config, tape, ...flags);
    const profiled = await backtest(config, tape, ...flags, '--profile');
    const names = readdirSync(without.out).filter((name) => name !== 'timing.json');
    expect(names).toContain('optimistic.ndjson');
    expectSameBytes(without.out, profiled.out, names);
    const { runs, ms, strategies, parts } = profileIn(profiled.out);
    expect(runs).toBe(3);
    expect(parts.map(({ group }) => group)).toEqual(expect.arrayContaining(['engine', 'venue', 'backtest']));
    const all = [...strategies, ...parts].reduce((sum, cost) => sum + cost.ms, 0);
    expect(all).toBeCloseTo(ms, 1);
    for (const row of ['strategy main', 'engine', '  orders', 'venue', 'all'])
      expect(profiled.stdout).toMatch(new RegExp(`^${row} +\\d+\\.\\d %`, 'm'));
    // without the flag, what a former backtest measured is gone
    const again = await command(['backtest', config, '--tape', tape, '--out', profiled.out]);
    expect(again.code).toBe(0);
    expect(readdirSync(profiled.out).filter((name) => name.includes('profile'))).toEqual([]);
  });

  it('names the lines of a strategy that takes most, and hints at it', async () => {
    const { out, stdout } = await backtest(
      configOf('strategies: [{ use: ./hungry.ts, id: slow, params: { rounds: 3000000, rows: 0 } }]\n'),
      tape,
      ...['--fills', 'pessimistic', '--profile'],
    );
    const { ms, hint, strategies } = profileIn(out);
    const [slow] = strategies;
    expect(slow?.id).toBe('slow');
    expect(slow?.ms).toBeGreaterThan(0.5 * ms);
    expect(slow?.ownMs).toBeGreaterThan(0.9 * (slow?.ms ?? 0));
    // a function of an imported file is its own code
    expect(slow?.functions[0]?.name).toBe('burn');
    expect(slow?.functions[0]?.place).toMatch(/burn\.ts:1$/);
    expect(slow?.lines[0]?.place).toMatch(/burn\.ts:[34]$/);
    expect(hint).toMatch(/^strategy slow took \d+\.\d % of the time: its hottest line is \S+burn\.ts:[34], /);
    expect(stdout).toContain(`${hint} (docs/profile.md)`);
    // Chrome DevTools opens these
    const cpu = JSON.parse(readFileSync(join(out, 'pessimistic.cpuprofile'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(cpu)).toEqual(
      expect.arrayContaining(['nodes', 'samples', 'timeDeltas', 'startTime', 'endTime']),
    );
    const heap = JSON.parse(readFileSync(join(out, 'pessimistic.heapprofile'), 'utf8')) as Record<string, unknown>;
    expect(heap).toHaveProperty('head.callFrame');
  });

  it('distinguishes strategies of the same file, in time and in allocations', async () => {
    const strategies = `strategies:
  - { use: ./hungry.ts, id: thinks, params: { rounds: 200000, rows: 0 } }
  - { use: ./hungry.ts, id: allocates, params: { rounds: 0, rows: 10000 } }
`;
    const { out, stdout } = await backtest(configOf(strategies), tape, '--fills', 'pessimistic', '--profile');
    const { bytes, strategies: costs } = profileIn(out);
    const [thinks, allocates] = ['thinks', 'allocates'].map((id) => costs.find((cost) => cost.id === id));
    expect(thinks?.functions[0]?.name).toBe('burn');
    expect(thinks?.calls).toBeGreaterThan(100);
    expect(allocates?.calls).toBe(thinks?.calls);
    expect(thinks?.bytes).toBeLessThan(0.2 * bytes);
    expect(allocates?.bytes).toBeGreaterThan(0.3 * bytes);
    expect(allocates?.functions.some(({ name }) => name === 'burn' || name === 'fill')).toBe(true);
    expect(stdout).toContain('strategy thinks (');
    expect(stdout).toContain('strategy allocates (');
  });

  it('adds up threads and days, each with what V8 recorded', async () => {
    const config = configOf(STRATEGIES);
    const two = await backtest(config, tape, '--profile', '--threads', '2');
    expect(profileIn(two.out).runs).toBe(2);
    expect(two.stdout).toContain('profile of 2 runs');
    const tapes = join(folder(), 'tapes');
    mkdirSync(tapes);
    for (const [day, id] of ['a', 'b'].entries())
      writeGeneratedTape(join(tapes, `${id}.ndjson.gz`), 10, { id, from: Date.parse(`2030-11-${20 + day}T18:00:00Z`) });
    const without = await backtest(config, tapes, '--fills', 'pessimistic');
    const days = await backtest(config, tapes, '--fills', 'pessimistic', '--profile', '--threads', '2');
    expectSameBytes(without.out, days.out, ['result.json', 'fills.csv', 'report-facts.bin']);
    expect(profileIn(days.out).runs).toBe(2);
    const recorded = readdirSync(days.out, { recursive: true, encoding: 'utf8' });
    expect(recorded.filter((name) => name.endsWith('pessimistic.cpuprofile')).length).toBe(2);
    expect(days.stdout).toContain('and a folder of profiles for each');
  });

  it('has a profile for each variation', async () => {
    const { out, stdout } = await backtest(
      configOf(STRATEGIES),
      tape,
      ...['--fills', 'pessimistic', '--profile', '--vary', 'main.edge=0.01,0.02'],
    );
    for (const run of ['1', '2']) {
      expect(profileIn(join(out, run)).runs).toBe(1);
      expect(existsSync(join(out, run, 'pessimistic.cpuprofile'))).toBe(true);
      expect(stdout).toContain(`profile of run ${run}`);
    }
  });

  it('is refused where it would slow what is measured', async () => {
    const args = ['--tape', tape, '--out', folder(), '--profile', '--strategy-latency', 'measured'];
    const { code, stderr } = await command(['backtest', configOf(STRATEGIES), ...args]);
    expect(stderr).toContain('measure first, then profile with its table');
    expect(code).toBe(2);
  });
});

/** A function in a stack, its weight in ms and bytes, and what it calls. */
type Called = { readonly frame: Frame; readonly weight: number; readonly calls: readonly Called[] };
const called = (name: string, url: string, weight: number, calls: readonly Called[] = [], line = 0): Called => ({
  frame: { functionName: name, url, lineNumber: line, columnNumber: 0 },
  weight,
  calls,
});

type HeapNode = Parameters<typeof attributed>[0]['heap']['head'] & { readonly id: number };

/** The profiles of V8 with these stacks. Each sample is of 1 ms and one byte, in line 7 of its function. */
function rawOf(root: Called): Parameters<typeof attributed>[0] {
  const nodes: Parameters<typeof attributed>[0]['cpu']['nodes'] = [];
  const samples: number[] = [];
  let count = 0;
  const visit = ({ frame, weight, calls }: Called): HeapNode => {
    const id = (count += 1);
    const callFrame = { ...frame, scriptId: '1' };
    const node = { id, callFrame, hitCount: weight, positionTicks: [{ line: 7, ticks: weight }] };
    const place = nodes.push(node) - 1;
    samples.push(...Array.from({ length: weight }, () => id));
    const children = calls.map((call) => visit(call));
    nodes[place] = { ...node, children: children.map((child) => child.id) };
    return { id, callFrame, selfSize: weight, children };
  };
  const head = visit(root);
  return {
    cpu: { nodes, startTime: 0, endTime: 1, samples, timeDeltas: samples.map(() => 1000) },
    heap: { head, samples: [] } as unknown as Parameters<typeof attributed>[0]['heap'],
  };
}

describe('a sample', () => {
  const own = (file: string): string => `${OWN_CODE}${file}`;
  const LIFE = '?life=3';
  const MINE = `file:///home/mine.ts${LIFE}`;
  const strategies = [{ id: 'mine', url: MINE }];
  const RXJS = 'file:///home/node_modules/rxjs/map.js';
  const profileOf = (...calls: readonly Called[]): RunProfile =>
    attributed(rawOf(called('(root)', '', 0, calls)), strategies, LIFE, new Map([['mine', 4]]));
  const partsOf = (profile: RunProfile) =>
    Object.fromEntries(profile.parts.map(({ group, room, ms, bytes }) => [`${group} ${room}`.trim(), [ms, bytes]]));
  const marked = (...calls: readonly Called[]): Called => called('strategy', `${MARK}mine`, 0, calls);

  it('outside of strategies belongs to its room; domain and what is built in to the caller', () => {
    const profile = profileOf(
      called('step', own('engine/core.ts'), 3, [
        called('plan', own('orders/planner.ts'), 5, [
          called('at', own('domain/lists.ts'), 2, [called('sort', '', 4)]),
          called('next', RXJS, 6),
          called('toString', '', 1),
        ]),
      ]),
      called('tick', own('paper/world.ts'), 8, [called('take', own('venue/match.ts'), 9)]),
      called('read', 'node:fs', 7),
      called('(program)', '', 2),
      called('(garbage collector)', '', 11),
      called('(idle)', '', 50),
    );
    expect(partsOf(profile)).toEqual({
      'engine core': [3, 3],
      'engine orders': [12, 12],
      'venue exchange': [8, 8],
      'venue books': [9, 9],
      'node and libraries libraries': [6, 6],
      'node and libraries node': [9, 9],
      'garbage collector': [11, 11],
    });
    expect(profile.ms).toBe(58);
    expect(profile.strategies[0]).toMatchObject({ ms: 0, lines: [], functions: [] });
  });

  it('under a strategy belongs to it with all that it calls, but not what its intents cause', () => {
    const emitted = called('#emitted', own('strategy/host/host.ts'), 4, [called('plain', own('domain/plain.ts'), 1)]);
    const profile = profileOf(
      called('dispatch', own('strategy/host/host.ts'), 2, [
        marked(
          called('next', RXJS, 3, [
            called('price', MINE, 10, [
              called('helper', `file:///home/helper.ts${LIFE}`, 6, [called('fit', own('pricing/fit.ts'), 5)], 20),
              called('push', '', 1),
            ]),
            emitted,
          ]),
        ),
      ]),
    );
    const [mine] = profile.strategies;
    expect(mine).toMatchObject({ calls: 4, ms: 25, bytes: 25, ownMs: 17, libraryMs: 3, calledMs: 5 });
    expect(mine?.functions.map(({ name, ms }) => [name, ms])).toEqual([
      ['price', 11],
      ['helper', 11],
    ]);
    expect(mine?.functions[1]?.place).toMatch(/helper\.ts:21$/);
    expect(mine?.lines).toEqual([
      { place: '/home/mine.ts:7', ms: 10 },
      { place: '/home/helper.ts:7', ms: 6 },
    ]);
    expect(partsOf(profile)).toEqual({ 'engine strategy host': [7, 7] });
    expect(hintOf(profile)).toBe(
      'strategy mine took 78.1 % of the time: its hottest line is /home/mine.ts:7, 31.3 %; its hottest function price at /home/mine.ts:1, 34.4 %',
    );
  });

  it('of a strategy at half of the time gives no hint, and sums of runs keep each place once', () => {
    const half = profileOf(marked(called('price', MINE, 5)), called('step', own('engine/core.ts'), 5));
    expect(hintOf(half)).toBeUndefined();
    const sum = addedProfiles([half, half, profileOf(marked(called('price', MINE, 2)))]);
    expect(sum).toMatchObject({
      runs: 3,
      ms: 22,
      strategies: [{ calls: 12, ms: 12, functions: [{ ms: 12 }], lines: [{ ms: 12 }] }],
    });
    expect(sum.parts).toEqual([{ group: 'engine', room: 'core', ms: 10, bytes: 10 }]);
    const json = JSON.parse(profileJson(sum)) as Json & { readonly schema: number };
    expect(json.schema).toBe(1);
    expect(json.hint).toContain('54.5 %');
  });

  it('of nothing at all is no error', () => {
    const nothing = attributed(
      { cpu: { nodes: [], startTime: 0, endTime: 0 }, heap: rawOf(called('(root)', '', 0)).heap },
      strategies,
      LIFE,
      new Map(),
    );
    expect(nothing).toMatchObject({ ms: 0, parts: [] });
    expect(hintOf(nothing)).toBeUndefined();
  });
});
