// Gates over real runs: what was demanded before is what is judged afterwards, by figures that the ledger has as well.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, folder, run, TWO_SIDED, writeConfig } from '../support/children.ts';

type Told = {
  readonly verdict: string;
  readonly games: number;
  readonly pass: readonly {
    readonly path: string;
    readonly value: number | null;
    readonly holds: boolean | null;
  }[];
  readonly figures: {
    readonly markouts: Readonly<Record<string, number | null>>;
    readonly run: Readonly<Record<string, unknown>> & { readonly fills: number; readonly uptime: number };
  };
  readonly journals: readonly string[];
  readonly void: readonly string[];
};

let at: string;
let config: string;
let journals: string;
let objects: readonly { readonly fills: number; readonly placed: number }[];

const gate = (text: string, name = 'gate.yaml'): string => {
  const file = join(at, name);
  writeFileSync(file, text);
  return file;
};
const GATE = `name: first
games: 1
pass: { "run.fills": ">= 1", "run.uptime": "> 0.5" }
kill: { "run.openAtExit": "> 0", "run.http.500": "> 0" }
`;
const told = async (...args: readonly string[]): Promise<{ readonly code: number | null; readonly told: Told }> => {
  const { code, stdout, stderr } = await command(['gate', ...args, '--json']);
  if (stdout === '') throw new Error(stderr);
  return { code, told: JSON.parse(stdout) as Told };
};

beforeAll(async () => {
  at = folder();
  journals = join(at, 'journal');
  config = writeConfig(
    [
      'exchange: { embedded: { games: 6, seed: 3, speed: 60 } }',
      'journal: { dir: ./journal }',
      'ledger: { file: ./ledger.db }',
      'markets: { live: true }',
      `strategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.004, risk: 50 } }]`,
      '',
    ].join('\n'),
    at,
  );
  const file = gate(GATE);
  const ends: (typeof objects)[number][] = [];
  for (let times = 0; times < 2; times++) {
    const { code, stdout } = await run(['run', config, '--for', '5s', '--json', '--gate', file]);
    expect(code).toBe(0);
    ends.push(JSON.parse(stdout) as (typeof objects)[number]);
  }
  objects = ends;
}, 60_000);

describe('gate', () => {
  it('judges runs by sums that they told themselves, and that the ledger has', async () => {
    const { code, told: of } = await told(join(at, 'gate.yaml'), journals);
    // no game is over yet
    expect({ code, verdict: of.verdict, games: of.games, void: of.void }).toEqual({
      code: 1,
      verdict: 'FAIL',
      games: 0,
      void: [],
    });
    expect(of.journals).toHaveLength(2);
    const sum = (key: 'fills' | 'placed'): number => objects.reduce((all, one) => all + one[key], 0);
    expect(sum('fills')).toBeGreaterThan(0);
    expect(of.figures.run).toMatchObject({ fills: sum('fills'), placed: sum('placed'), runs: 2 });
    expect(of.pass.map(({ path, holds }) => [path, holds])).toEqual([
      ['games', false],
      ['run.fills', true],
      ['run.uptime', of.figures.run.uptime > 0.5],
    ]);
    const db = new DatabaseSync(join(at, 'ledger.db'), { readOnly: true });
    const [row] = db.prepare("SELECT sum(json_extract(markouts, '$.1')) AS money FROM fills").all();
    db.close();
    expect(of.figures.markouts['1s']).toBeCloseTo(Number(row?.['money']) / 1e6, 2);
    const { stdout } = await command(['gate', join(at, 'gate.yaml'), journals]);
    expect(stdout).toMatch(/^first: FAIL, 2 runs\n/);
    expect(stdout).toMatch(/pass +games +0 +>= 1 +no\n/);
  });

  it('is void when the file was changed, a run was without it, or a journal was changed', async () => {
    const changed = gate(GATE.replace('>= 1"', '>= 2"'), 'changed.yaml');
    const other = await told(changed, journals);
    expect(other.code).toBe(65);
    expect(other.told.void).toHaveLength(2);
    expect(other.told.void[0]).toContain('the file was changed since');

    // a run without it between two with it
    const mixed = join(at, 'mixed');
    mkdirSync(mixed);
    const names = readdirSync(journals).filter((name) => name.endsWith('.zst'));
    for (const name of names) copyFileSync(join(journals, name), join(mixed, name));
    const free = join(at, 'free.yaml');
    writeFileSync(free, readFileSync(config, 'utf8').replace('./journal', './free'));
    expect((await run(['run', free, '--for', '2s'])).code).toBe(0);
    const [without = ''] = readdirSync(join(at, 'free')).filter((name) => name.endsWith('.zst'));
    // as if it had been between
    const between = (names[0] ?? '').replace(/-\d{3}Z-[0-9a-f]{8}/, '-999Z-0badc0de');
    copyFileSync(join(at, 'free', without), join(mixed, between));
    const hole = await told(join(at, 'gate.yaml'), mixed);
    expect(hole.code).toBe(65);
    expect(hole.told.void.join()).toContain('was without the gate');
    expect((await told(join(at, 'gate.yaml'), join(at, 'free', without))).told.void.join()).toContain('without a gate');

    // torn: it counts as far as it is there
    const torn = join(at, 'torn.ndjson.zst');
    copyFileSync(join(journals, names[0] ?? ''), torn);
    truncateSync(torn, Math.floor(readFileSync(torn).length / 2));
    const part = await told(join(at, 'gate.yaml'), torn);
    expect([part.code, part.told.verdict, part.told.void]).toEqual([
      65,
      'void',
      // whether its orders were off at its end is not known
      [expect.stringMatching(/^run\.openAtExit is not known: /)],
    ]);
    expect(part.told.figures.run.fills).toBeLessThanOrEqual(objects[0]?.fills ?? 0);
  });

  it('passes, and kills, where that is what was demanded', async () => {
    // the hash is what counts: runs of their own
    for (const [text, code, verdict] of [
      [GATE.replace('kill: {', 'kill: { "run.fills": ">= 0",'), 3, 'KILL'],
      [GATE.replace('"run.fills": ">= 1"', '"run.placed": ">= 1"'), 1, 'FAIL'],
    ] as const) {
      const file = gate(text.replace('first', verdict), `${verdict}.yaml`);
      expect((await run(['run', config, '--for', '2s', '--gate', file])).code).toBe(0);
      const ended = await told(file, journals);
      expect({ code: ended.code, verdict: ended.told.verdict }).toEqual({ code, verdict });
    }
  });

  it('is void where it asks for a figure that is not known, and says so', async () => {
    // of two seconds nothing is known a quarter of an hour of the exchange later
    const file = gate(
      GATE.replace('first', 'unknown').replace(
        '"run.fills"',
        '"phases.prematch.edge.perPlace": ">= 0", "identity.luck": "!= 0", "run.fills"',
      ),
      'unknown.yaml',
    );
    expect((await run(['run', config, '--for', '2s', '--gate', file])).code).toBe(0);
    const ended = await told(file, journals);
    expect([ended.code, ended.told.verdict]).toEqual([65, 'void']);
    expect(ended.told.void.join()).toMatch(/identity\.luck is not known: none of \d+ fills has it/);
    const { stdout } = await command(['gate', file, journals]);
    expect(stdout).toMatch(/pass +identity\.luck +not known +!= 0 +–\n/);
  });

  it('names what is wrong with a file before a window begins', async () => {
    for (const [text, said] of [
      [GATE.replace('run.fills', 'run.filled'), /no figure run\.filled: it is one of .*identity\.pnl/],
      [GATE.replace('>= 1"', 'at least 1"'), /expected a comparison with a number/],
      ['name: x\n', /games/],
      [GATE.replace(/pass: .*/, 'pass: {}'), /expected at least one threshold/],
      [`${GATE}more: 1\n`, /more/],
    ] as const) {
      const file = gate(text, 'wrong.yaml');
      for (const args of [
        ['gate', file, journals],
        ['run', config, '--for', '1s', '--gate', file],
      ]) {
        const { code, stderr } = await command(args);
        expect(code).toBe(78);
        expect(stderr).toMatch(said);
      }
    }
    expect((await command(['gate', join(at, 'gate.yaml'), join(at, 'nothing')])).code).toBe(65);
    const empty = join(at, 'empty');
    mkdirSync(empty);
    const { code, stderr } = await command(['gate', join(at, 'gate.yaml'), empty]);
    expect(code).toBe(65);
    expect(stderr).toContain('a window begins with run --gate');
  });
});
