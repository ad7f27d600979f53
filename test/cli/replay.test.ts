import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { JournalProgress } from '../../src/journal/journal-progress.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { Arrival, Command, StrategyId } from '../../src/domain/index.ts';
import type { JournalStep } from '../../src/journal/journal-reader.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { folder, run, TWO_SIDED } from '../support/children.ts';
import { CoreDriver } from '../support/core-driver.ts';
import type { FaultyJournal } from '../support/journals.ts';
import { cli, rewrite, writeFaultyJournal, writeJournal } from '../support/journals.ts';

const key = z.strictObject({ key: z.string(), recorded: z.unknown(), replayed: z.unknown() });
const command = z.looseObject({ type: z.string() });
const REPORT = z.strictObject({
  schema: z.literal(1),
  ok: z.boolean(),
  journal: z.strictObject({
    file: z.string(),
    records: z.int(),
    torn: z.strictObject({ file: z.string(), line: z.int(), problem: z.string(), verified: z.int() }).nullable(),
    invalid: z.string().nullable(),
    run: z.string().nullable(),
    from: z.iso.datetime().nullable(),
    to: z.iso.datetime().nullable(),
  }),
  version: z.strictObject({ recorded: z.string(), now: z.string() }),
  config: z.strictObject({ file: z.string().nullable(), keys: z.array(key) }),
  strategies: z.array(
    z.strictObject({
      id: z.string(),
      use: z.string(),
      file: z.string(),
      sha256: z.strictObject({ recorded: z.string().nullable(), now: z.string() }),
    }),
  ),
  hidden: z.array(z.string()),
  changed: z.boolean(),
  compared: z.strictObject({ records: z.int(), commands: z.int() }),
  difference: z
    .strictObject({
      seq: z.int(),
      at: z.iso.datetime(),
      mono: z.number(),
      input: z.looseObject({ type: z.string() }),
      command: z.int(),
      recorded: z.array(command),
      replayed: z.array(command),
      threw: z.string().nullable(),
      keys: z.array(key),
      chain: z.array(
        z.strictObject({
          seq: z.int(),
          at: z.iso.datetime(),
          input: z.looseObject({ type: z.string() }),
          commands: z.array(z.string()),
        }),
      ),
    })
    .nullable(),
});

type Report = z.infer<typeof REPORT> & { readonly code: number; readonly out: string; readonly err: string };

/** The report of a verification, read from the output as JSON and as text. */
async function replay(journal: string, ...flags: readonly string[]): Promise<Report> {
  const json = await cli('replay', '--verify', journal, ...flags, '--json');
  const people = await cli('replay', '--verify', journal, ...flags);
  expect(people).toMatchObject({ code: json.code, err: json.err });
  return { ...REPORT.parse(JSON.parse(json.out)), ...people };
}

/** The source of the strategy, with another size on one side. */
function quoting(risk: string): string {
  const source = readFileSync(TWO_SIDED, 'utf8');
  const other = source.replace('risk: params.risk', `risk: (${risk}) as typeof params.risk`);
  expect(other).not.toBe(source);
  return other;
}

let directory = '';
let made: FaultyJournal = { config: '', journal: '' };
let steps: readonly JournalStep[] = [];
/** The journal as an earlier version wrote it: without the sources of its strategies. */
const FORMER = 'former.ndjson';
let files = 0;
const copy = (): string => join(directory, 'run', `copy-${(files += 1)}.ndjson`);
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'oddsmaker-replay-'));
  made = await writeFaultyJournal(directory);
  ({ steps } = await readJournal(made.journal));
  await rewrite(made.journal, join(directory, 'run', FORMER), {
    header: ({ strategies, ...header }) => ({
      ...header,
      strategies: strategies.map(({ file, sha256 }) => ({ file, sha256 })),
    }),
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const withCommands = (seq: number, change: (commands: readonly Command[]) => readonly unknown[]): Promise<string> =>
  rewrite(made.journal, copy(), {
    steps: (all) =>
      all.map((step) =>
        step.input.seq === seq ? { ...step, commands: change(step.commands) as readonly Command[] } : step,
      ),
  });

/** An edit in the middle of the run, with steps before it that led to it. */
function anEdit(): {
  readonly seq: number;
  readonly index: number;
  readonly edit: Extract<Command, { type: 'edit' }>;
} {
  for (const { input, commands } of steps.slice(steps.length / 3)) {
    const index = commands.findIndex(({ type }) => type === 'edit');
    const edit = commands[index];
    if (edit?.type === 'edit') return { seq: input.seq, index, edit };
  }
  throw new Error('no edit');
}

describe('the journal of a run under faults', () => {
  it('replays to the same commands', async () => {
    const report = await replay(made.journal);
    expect(report).toMatchObject({ code: 0, err: '', ok: true, changed: false, difference: null });
    expect(report.compared).toEqual({
      records: steps.length,
      commands: steps.reduce((sum, step) => sum + step.commands.length, 0),
    });
    expect(report.journal).toEqual({
      file: made.journal,
      records: steps.length,
      torn: null,
      invalid: null,
      run: 'r1',
      from: '2030-01-01T00:00:00.000Z',
      to: new Date(steps.at(-1)?.input.t ?? 0).toISOString(),
    });
    expect(report.strategies).toMatchObject([{ id: 'main', use: './quotes.ts', file: join(directory, 'quotes.ts') }]);
    expect(report.out).toContain('config    as in the journal\n');
    expect(report.out).toMatch(/strategy {2}main: \.\/quotes\.ts .*as then/);
    expect(report.out.endsWith('\n\nEvery command is the same\n')).toBe(true);
  });

  it('replays with its configuration file, and in a process of its own', async () => {
    const { code, stdout, stderr } = await run(['replay', '--verify', made.journal, '--config', made.config]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`config    ${made.config}, every key as in the journal\n`);
  });

  it('replays when orders of an earlier run were never answered', async () => {
    const { journal } = await writeFaultyJournal(folder(), { killsAt: [9.2], seed: 1 });
    const [boot] = (await readJournal(journal)).steps;
    expect(boot?.input.in).toMatchObject({ type: 'boot', run: 'r2' });
    expect(boot?.input.in).toHaveProperty('unanswered');
    expect(await replay(journal)).toMatchObject({ code: 0, ok: true });
  });

  it('replays the commands of the operator and the faults found in a strategy', async () => {
    const { settings } = await loadCoreSettings(loadConfig(made.config, {}));
    const recordedSteps: JournalStep[] = [];
    const driver = new CoreDriver(settings);
    driver.record = (input, commands, events) => recordedSteps.push({ input, commands, events });
    driver.start();
    const inputs: readonly Arrival[] = [
      { type: 'operator', command: 'pause' },
      { type: 'operator', command: 'resume' },
      { type: 'signal', values: { fair: 0.5 }, ttlMs: 200 },
      { type: 'strategy-fault', strategy: 'main' as StrategyId, code: 'STRATEGY_OVERRUN', detail: 'slow' },
      { type: 'operator', command: 'halt' },
      { type: 'operator', command: 'abort' },
    ];
    for (const input of inputs) {
      driver.input(input);
      driver.passTime(500);
    }
    const { header } = await readJournal(made.journal);
    expect(JSON.stringify(recordedSteps)).toContain('a strategy was quarantined');
    expect(await replay(await writeJournal(copy(), header, recordedSteps))).toMatchObject({ code: 0, ok: true });
  });
});

describe('replay of a command that differs', () => {
  it('shows its record, its input, the key and the steps that led to it', async () => {
    const { seq, index, edit } = anEdit();
    const file = await withCommands(seq, (commands) =>
      commands.with(index, {
        ...edit,
        order: { ...edit.order, rung: edit.order.rung + 7 } as typeof edit.order,
      }),
    );
    const report = await replay(file);
    expect(report).toMatchObject({ code: 70, ok: false, changed: false, err: '' });
    const { difference } = report;
    expect(report.compared.records).toBe(seq - 1);
    expect(difference).toMatchObject({
      seq,
      command: index,
      threw: null,
      input: { type: inputAt(seq).type },
    });
    expect(difference?.keys).toEqual([{ key: 'order.rung', recorded: edit.order.rung + 7, replayed: edit.order.rung }]);
    const chain = difference?.chain ?? [];
    const seqs = chain.map((step) => step.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(seqs.every((earlier) => earlier < seq)).toBe(true);
    // the chain has the grant of its permit and the order that it edits, and nothing about other games
    expect(chain.map(({ input }) => input)).toContainEqual({
      type: 'permit',
      bucket: 'place',
      permit: edit.permit,
    });
    expect(JSON.stringify(chain)).toContain(edit.orderId);
    expect(chain.length).toBeGreaterThan(3);
    for (const { input, commands } of chain)
      if (input.type === 'frame' && commands.length === 0)
        expect(JSON.stringify(input)).toMatch(
          new RegExp(`${edit.order.market.gameId}|${edit.order.ref.split('-')[0]}`),
        );
    for (const text of [
      `The first difference is at record #${seq}, `,
      `  ≠ ${index + 1}  edit (request ${edit.req}, permit ${edit.permit}): ${edit.orderId} becomes ${edit.order.ref}`,
      `Command ${index + 1}, edit, differs in 1 key\n`,
      `  order.rung  ${edit.order.rung + 7} `,
      'Steps before it\n  #',
      `permit: place permit ${edit.permit} is granted`,
      'although nothing was changed: a bug, or a strategy that reads a clock, chance or state of its own\n',
    ])
      expect(report.out).toContain(text);
  });

  it('finds a command that is missing in the journal or in the replay', async () => {
    const { seq, index } = anEdit();
    const missing = await replay(await withCommands(seq, (commands) => commands.toSpliced(index, 1)));
    expect(missing).toMatchObject({ code: 70, difference: { seq, command: index } });
    const extra = await replay(await withCommands(seq, (commands) => [...commands, { type: 'wake', at: 1 }]));
    expect(extra).toMatchObject({ code: 70, difference: { seq } });
    expect(extra.out).toMatch(/Command \d+ is wake in the journal and nothing in the replay/);
  });

  it('shows the error that an input causes in the core', async () => {
    const file = await rewrite(made.journal, copy(), {
      steps: (all) =>
        all.map((step) =>
          step.input.in.type === 'permit'
            ? { ...step, input: { ...step.input, in: { ...step.input.in, bucket: 'none' as never } } }
            : step,
        ),
    });
    const report = await replay(file);
    expect(report.code).toBe(70);
    expect(report.difference?.threw).toMatch(/TypeError/);
    expect(report.out).toMatch(/replayed\n {4}TypeError/);
  });

  it('calls the difference a bug when a strategy draws random numbers', async () => {
    const source = quoting('params.risk - Math.floor(Math.random() * 5000)');
    const { journal } = await writeFaultyJournal(folder(), { source });
    const { code, stdout } = await run(['replay', '--verify', journal]);
    expect(code).toBe(70);
    expect(stdout).toMatch(/^ {2}orders\.\d+\.risk +\d+ +\d+$/m);
  });
});

const inputAt = (seq: number): Arrival => {
  const step = steps[seq - 1];
  if (step === undefined) throw new Error('no such record');
  return step.input.in;
};

describe('replay after a change since the run', () => {
  /** Copies the whole folder to another path, so that its strategy is another module. */
  function moved(change: (source: string) => string, journal = FORMER): string {
    const to = folder();
    cpSync(directory, to, { recursive: true });
    const file = join(to, 'quotes.ts');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    return join(to, 'run', journal);
  }

  it('names a changed strategy file, and passes when its commands are the same', async () => {
    const report = await replay(moved((source) => `${source}// one more line\n`));
    expect(report).toMatchObject({ code: 0, ok: true, changed: true });
    const [strategy] = report.strategies;
    expect(strategy?.sha256.now).not.toBe(strategy?.sha256.recorded);
    const { recorded, now } = strategy?.sha256 ?? {};
    expect(report.out).toContain(`CHANGED, sha256 was ${recorded?.slice(0, 16)}…, is ${now?.slice(0, 16)}…\n`);
    expect(report.out.indexOf('CHANGED')).toBeLessThan(report.out.indexOf('compared'));
  });

  it('names a changed strategy file as a possible cause of other commands', async () => {
    const report = await replay(moved(() => quoting('params.risk / 2')));
    expect(report).toMatchObject({ code: 65, ok: false, changed: true, difference: { threw: null } });
    expect(report.out).toContain('The commands differ; what is CHANGED may be why\n');
  });

  it('prefers a strategy file that is unchanged but elsewhere over a changed one in its place', async () => {
    const journal = moved((source) => `${source}//\n`);
    const beside = join(journal, '..', 'quotes.ts');
    cpSync(join(directory, 'quotes.ts'), beside);
    const report = await replay(journal);
    expect(report).toMatchObject({ code: 0, changed: false, strategies: [{ file: beside }] });
  });

  it('names a changed configuration key as a possible cause of other commands', async () => {
    const yaml = readFileSync(made.config, 'utf8');
    const file = join(directory, 'other.yaml');
    writeFileSync(file, yaml.replace('edge: 0.02', 'edge: 0.03') + 'orders: { reserve: 4 }\n');
    const report = await replay(made.journal, '--config', file);
    expect(report).toMatchObject({ code: 65, changed: true, config: { file } });
    expect(report.config.keys).toEqual([
      { key: 'strategies.0.params.edge', recorded: 0.02, replayed: 0.03 },
      { key: 'orders.reserve', recorded: 5, replayed: 4 },
    ]);
    expect(report.out).toContain(
      `config    ${file}: CHANGED, 2 keys\n          strategies.0.params.edge: 0.02 then, 0.03 now\n`,
    );
  });

  it('calls other commands a bug when only a key that the core does not read has changed', async () => {
    const file = join(directory, 'louder.yaml');
    writeFileSync(file, `${readFileSync(made.config, 'utf8')}log: { level: debug }\n`);
    const keys = [{ key: 'log.level', recorded: 'info', replayed: 'debug' }];
    expect(await replay(made.journal, '--config', file)).toMatchObject({
      code: 0,
      changed: false,
      config: { keys },
    });
    const { seq, index } = anEdit();
    const other = await withCommands(seq, (commands) => commands.toSpliced(index, 1));
    expect(await replay(other, '--config', file)).toMatchObject({ code: 70, config: { keys } });
  });

  it('names a changed version', async () => {
    const file = await rewrite(made.journal, copy(), {
      header: (header) => ({ ...header, version: '0.0.1' }),
    });
    const report = await replay(file);
    expect(report).toMatchObject({ code: 0, changed: true, version: { recorded: '0.0.1' } });
    expect(report.out).toMatch(/^version {3}CHANGED: the run was by 0\.0\.1, this is /m);
  });

  it('names a changed core of the same version as a possible cause of other commands', async () => {
    const { header } = await readJournal(made.journal);
    expect(header.version).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{12}$/);
    const other = header.version.replace(/\w+$/, '0123456789ab');
    const { seq, index } = anEdit();
    const file = await rewrite(await withCommands(seq, (commands) => commands.toSpliced(index, 1)), copy(), {
      header: (original) => ({ ...original, version: other }),
    });
    const report = await replay(file);
    // no bug: the other core may have given other commands
    expect(report).toMatchObject({ code: 65, changed: true, version: { recorded: other } });
  });

  it('does not treat a changed secret as a change, and does not print it', async () => {
    const file = join(directory, 'secret.yaml');
    writeFileSync(file, readFileSync(made.config, 'utf8').replace('secret-word', 'another-word'));
    const report = await replay(made.journal, '--config', file);
    expect(report).toMatchObject({ code: 0, changed: false, config: { keys: [] } });
    expect(JSON.stringify(report)).not.toContain('another-word');
  });
});

describe('replay with a parameter that the journal hides', () => {
  const HIDDEN = 'strategies.0.params.feedToken';
  let secretive: FaultyJournal = { config: '', journal: '' };
  const using = (token: string): string => {
    const file = join(secretive.config, '..', `${token.length}.yaml`);
    writeFileSync(file, readFileSync(secretive.config, 'utf8').replace('s3cret', token));
    return file;
  };
  beforeAll(async () => {
    const source = quoting("params.feedToken === 's3cret' ? params.risk : params.risk / 2").replace(
      'inventoryLimit:',
      'feedToken: z.string().max(7),\n  inventoryLimit:',
    );
    const params = '{ edge: 0.02, risk: 100, feedToken: s3cret }';
    secretive = await writeFaultyJournal(mkdtempSync(join(directory, 'secretive-')), { source, params, seconds: 5 });
  });

  it('names the hidden parameter as a possible cause, not as a bug, when the strategy accepts its placeholder', async () => {
    const roomy = readFileSync(join(secretive.config, '..', 'quotes.ts'), 'utf8').replace('.max(7)', '.max(20)');
    const to = folder();
    writeFileSync(join(to, 'quotes.ts'), roomy);
    const journal = await rewrite(secretive.journal, join(to, 'run', 'journal.ndjson'), {
      header: (header) => ({
        ...header,
        strategies: [{ file: './quotes.ts', sha256: createHash('sha256').update(roomy).digest('hex') }],
      }),
    });
    const report = await replay(journal);
    expect(report).toMatchObject({ code: 65, changed: false, hidden: [HIDDEN] });
    expect(report.out).toContain(
      `hidden    ${HIDDEN}: the journal hides it, and it is not known here: name the configuration file with --config, or set the variable that the journal names\n`,
    );
    expect(report.out).toContain('The commands differ; what is hidden may be why\n');
  });

  it('names the hidden parameter when the strategy refuses its placeholder', async () => {
    const { code, err } = await cli('replay', '--verify', secretive.journal);
    expect(code).toBe(78);
    expect(err).toContain(`config.${HIDDEN}: Too big`);
    expect(err).toContain('; the journal hides what it was: name the configuration file with --config');
  });

  it('takes the parameter from the configuration file of the run, and finds every command the same and nothing changed', async () => {
    const report = await replay(secretive.journal, '--config', secretive.config);
    expect(report).toMatchObject({ code: 0, changed: false, hidden: [HIDDEN], config: { keys: [] } });
    expect(report.out).toMatch(/^Every command is the same$/m);
    expect(JSON.stringify(report)).not.toContain('s3cret');
  });

  it('says that it cannot know whether the parameter has changed', async () => {
    const report = await replay(secretive.journal, '--config', using('other'));
    expect(report).toMatchObject({ code: 65, changed: false, hidden: [HIDDEN] });
    expect(report.out).toContain(`${HIDDEN}: the journal hides it, so whether it is as then is not known\n`);
  });
});

describe('the journal of a run with environment variables in its configuration', () => {
  /** A part of a team name. */
  const TEAM = 'Pelicans';
  const env = { MODE: 'coins', X: '1', WORD: 'abc', SECRET: 'not-a-team', TEAM };
  let made: FaultyJournal = { config: '', journal: '' };
  let text = '';
  beforeAll(async () => {
    const source = quoting("params.word === 'abc' && params.digit === '1' ? params.risk : params.risk / 2")
      .replace(
        'inventoryLimit:',
        'word: z.string(),\n  digit: z.string(),\n  secret: z.string(),\n  team: z.string(),\n  inventoryLimit:',
      )
      .replace(
        'const [first, second]',
        "if (view.market.type === 'total') throw new Error(`no ${params.secret}, ${params.team}, ${view.game.eventName}`);\n  const [first, second]",
      );
    made = await writeFaultyJournal(mkdtempSync(join(directory, 'named-')), {
      source,
      seconds: 5,
      env,
      exchange: ['playerMode: ${MODE}', 'profile:', '  oddsStep: ${X}'],
      params: '{ edge: 0.02, risk: 100, word: "${WORD}", secret: "${SECRET}", team: "${TEAM}", digit: "${X}" }',
    });
    text = readFileSync(made.journal, 'utf8');
  });
  afterEach(() => {
    for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
  });

  it('holds the names of the variables instead of their values, and leaves what the exchange sent unchanged', () => {
    const [header = '', ...lines] = text.split('\n');
    expect(JSON.parse(header)).toMatchObject({
      config: {
        exchange: { playerMode: 'coins', profile: { oddsStep: 1 } },
        strategies: [{ params: { word: '${WORD}', digit: '${X}', secret: '${SECRET}', team: '${TEAM}' } }],
      },
    });
    expect(text).not.toContain('not-a-team');
    expect(text).toContain('no ${SECRET}, ${TEAM}');
    expect(lines.some((line) => line.includes('"in":') && line.includes(TEAM))).toBe(true);
  });

  it('replays to the same commands with the same environment', async () => {
    Object.assign(process.env, env);
    const report = await replay(made.journal);
    expect(report).toMatchObject({ code: 0, changed: false, difference: null });
  });

  it('replays with the configuration file of the run', async () => {
    Object.assign(process.env, env);
    const report = await replay(made.journal, '--config', made.config);
    expect(report).toMatchObject({ code: 0, changed: false, config: { keys: [] } });
    expect(JSON.stringify(report)).not.toContain('not-a-team');
  });

  it('names a variable that is not set', async () => {
    const report = await replay(made.journal);
    expect(report).toMatchObject({ code: 65, changed: false });
    expect(report.hidden).toContain('strategies.0.params.word');
  });
});

describe('replay of a damaged journal', () => {
  it.each(['before', 'in', 'after'])(
    'compares only inputs with all their commands when the journal breaks off %s the commands of one',
    async (where) => {
      const text = readFileSync(made.journal, 'utf8');
      const { input } = steps.slice(300).find(({ commands }) => commands.length > 0) ?? { input: { seq: 0 } };
      const from = text.indexOf(`{"seq":${input.seq},"out"`);
      const end = text.indexOf('\n', from);
      const length = { before: from, in: from + 30, after: end }[where];
      const file = copy();
      writeFileSync(file, text.slice(0, length));
      const records = where === 'after' ? input.seq : input.seq - 1;
      expect(await replay(file)).toMatchObject({ code: 65, difference: null, compared: { records } });
    },
  );

  it('compares the journal up to where it breaks off', async () => {
    const file = copy();
    const bytes = readFileSync(made.journal);
    writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    const report = await replay(file);
    const records = report.journal.records;
    expect(records).toBeGreaterThan(100);
    expect(records).toBeLessThan(steps.length);
    expect(report).toMatchObject({
      code: 65,
      ok: false,
      difference: null,
      journal: { torn: { verified: 0 }, invalid: null },
      compared: { records },
    });
    expect(report.err).toContain(
      `the journal is torn here; its run was killed, or continues. Read up to record ${records}`,
    );
    expect(report.out).toContain(`Every command is the same up to record ${records}, where the journal breaks off\n`);
  });

  it('refuses a changed record, and names the command that differs', async () => {
    const { seq } = anEdit();
    const file = copy();
    const lines = readFileSync(made.journal, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.startsWith(`{"seq":${seq},"out"`));
    lines[line] = lines[line]?.replace(/"permit":(\d+)/, '"permit":9$1') ?? '';
    writeFileSync(file, lines.join('\n'));
    const report = await replay(file);
    expect(report).toMatchObject({ code: 65, ok: false, difference: { seq } });
    expect(report.journal.invalid).toMatch(/the chain does not match/);
    expect(report.err).toMatch(/^oddsmaker: .*:\d+: the chain does not match/);
    expect(report.out).toContain(
      'The journal is not whole, or was changed after it was written: what it holds proves nothing\n',
    );
  });

  it.each([
    [
      'a configuration that this version does not read',
      { orders: { colour: 'red' } },
      /^oddsmaker: .*:1: the configuration in its header cannot be read by this version: orders\.colour: unknown key\n$/,
    ],
    ['no configuration', undefined, /cannot be read by this version: Invalid input/],
  ])('refuses %s in the header', async (_what, config, says) => {
    const file = await rewrite(made.journal, copy(), {
      header: (header) => ({
        ...header,
        config: config === undefined ? undefined : { ...(header.config as object), ...config },
      }),
    });
    const { code, out, err } = await cli('replay', '--verify', file);
    expect({ code, out }).toEqual({ code: 65, out: '' });
    expect(err).toMatch(says);
  });

  it('refuses a file that is no journal, and a missing file', async () => {
    for (const file of [made.config, join(directory, 'none.ndjson')]) {
      const { code, err } = await cli('replay', '--verify', file);
      expect(code).toBe(65);
      expect(err).toContain(file);
    }
  });
});

describe('replay with a wrong strategy, configuration or flag', () => {
  it('says where it looked for a strategy file, and how to name its place', async () => {
    const to = folder();
    cpSync(join(directory, 'run', FORMER), join(to, 'journal.ndjson'));
    const { code, err } = await cli('replay', '--verify', join(to, 'journal.ndjson'));
    expect(code).toBe(78);
    expect(err).toMatch(/the strategy file \.\/quotes\.ts .*--config/);
    const named = await cli('replay', '--verify', join(to, 'journal.ndjson'), '--config', made.config);
    expect(named.code).toBe(0);
  });

  it('names the key of a strategy that does not load, or does not accept its parameters', async () => {
    for (const [source, says] of [
      ['export default 5;', /config\.strategies\.0\.use: strategy file .* has no default export/],
      [readFileSync(TWO_SIDED, 'utf8').replace('edge:', 'margin:'), /config\.strategies\.0\.params\.\w+: /],
    ] as const) {
      const to = folder();
      cpSync(directory, to, { recursive: true });
      writeFileSync(join(to, 'quotes.ts'), source);
      const { code, err } = await cli('replay', '--verify', join(to, 'run', FORMER));
      expect(code).toBe(78);
      expect(err).toMatch(says);
    }
  });

  it('exits with 78 for an invalid configuration, and with 2 without --verify', async () => {
    const bad = join(directory, 'bad.yaml');
    writeFileSync(bad, 'nonsense: true\n');
    expect(await cli('replay', '--verify', made.journal, '--config', bad)).toMatchObject({ code: 78 });
    expect(await cli('replay', made.journal)).toMatchObject({ code: 2 });
  });
});

describe('JournalProgress', () => {
  it('shows progress on a terminal and removes it at the end, and writes nothing elsewhere', () => {
    const written: string[] = [];
    const terminal = {
      isTTY: true,
      columns: 80,
      write: (text: string) => written.push(text),
    } as unknown as NodeJS.WriteStream;
    const progress = new JournalProgress(terminal, 'none.ndjson', 'comparing');
    while (written.length === 0) progress.advance();
    progress.clearLine();
    expect(written[0]).toMatch(/^\r\u001b\[2Kcomparing: 0 %, [\d,]+ records, [\d,]+\/s$/);
    expect(written.at(-1)).toBe('\r\u001b[2K');
    const file = {
      isTTY: false,
      write: (text: string) => written.push(text),
    } as unknown as NodeJS.WriteStream;
    const quiet = new JournalProgress(file, 'none.ndjson', 'comparing');
    const before = written.length;
    for (let i = 0; i < 5000; i++) quiet.advance();
    quiet.clearLine();
    expect(written).toHaveLength(before);
  });
});
