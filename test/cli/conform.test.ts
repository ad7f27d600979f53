import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Command } from '../../src/domain/index.ts';
import { RULE_IDS } from '../../src/conform/rules.ts';
import type { JournalStep } from '../../src/journal/journal-reader.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { run } from '../support/children.ts';
import type { FaultyJournal } from '../support/journals.ts';
import { cli, rewrite, writeFaultyJournal } from '../support/journals.ts';

const count = z.int().nonnegative();
const REPORT = z.strictObject({
  schema: z.literal(1),
  ok: z.boolean(),
  journal: z.strictObject({
    file: z.string(),
    records: count,
    torn: z.strictObject({ file: z.string(), line: count, problem: z.string(), verified: count }).nullable(),
  }),
  requests: z.strictObject({
    place: count,
    edit: count,
    cancel: count,
    cancelAll: count,
    unanswered: count,
    throttled: z.strictObject({ place: count, cancel: count }),
  }),
  rules: z.array(
    z.strictObject({
      id: z.string(),
      says: z.string(),
      checked: count,
      found: count,
      findings: z.array(
        z.strictObject({
          rule: z.string(),
          seq: z.int().positive(),
          at: z.iso.datetime(),
          text: z.string(),
          requests: z.array(count),
        }),
      ),
    }),
  ),
});
type Report = z.infer<typeof REPORT> & { readonly code: number; readonly out: string; readonly err: string };

/** The report of a check, read from the output as JSON and as text. */
async function conform(journal: string): Promise<Report> {
  const json = await cli('conform', journal, '--json');
  const people = await cli('conform', journal);
  expect(people).toMatchObject({ code: json.code, err: json.err });
  return { ...REPORT.parse(JSON.parse(json.out)), ...people };
}

let directory = '';
let made: FaultyJournal = { config: '', journal: '' };
let steps: readonly JournalStep[] = [];
let files = 0;
const copy = (): string => join(directory, `copy-${(files += 1)}.ndjson`);
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'oddsmaker-conform-'));
  made = await writeFaultyJournal(directory);
  ({ steps } = await readJournal(made.journal));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const sentIn = (type: Command['type']): number =>
  steps.flatMap(({ commands }) => commands).filter((command) => command.type === type).length;

const withCommands = (change: (command: Command) => unknown): Promise<string> =>
  rewrite(made.journal, copy(), {
    steps: (all) => all.map((step) => ({ ...step, commands: step.commands.map(change) as readonly Command[] })),
  });

describe('oddsmaker conform on the journal of a run under faults', () => {
  it('finds every rule kept', async () => {
    const report = await conform(made.journal);
    expect(report).toMatchObject({
      code: 0,
      err: '',
      ok: true,
      journal: { file: made.journal, records: steps.length, torn: null },
      requests: { place: sentIn('place'), edit: sentIn('edit'), cancel: sentIn('cancel') },
    });
    expect(report.requests.unanswered).toBeGreaterThan(0);
    expect(report.requests.throttled.cancel).toBeGreaterThan(0);
    expect(report.rules.map(({ id }) => id)).toEqual(RULE_IDS);
    for (const { id, checked, found } of report.rules) {
      expect({ id, found }).toEqual({ id, found: 0 });
      if (id !== 'never-landed') expect({ id, checked: checked > 0 }).toEqual({ id, checked: true });
      expect(report.out).toMatch(new RegExp(`^${id} +${checked} +0  \\w`, 'm'));
    }
    expect(report.out.endsWith('\n\nEvery rule was kept\n')).toBe(true);
  });

  it('finds every rule kept in a process of its own', async () => {
    expect(await run(['conform', made.journal])).toMatchObject({ code: 0, stderr: '' });
  });

  it('checks the journal up to where it breaks off', async () => {
    const file = copy();
    const bytes = readFileSync(made.journal);
    writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    const report = await conform(file);
    const { records, torn } = report.journal;
    expect(records).toBeGreaterThan(100);
    expect(records).toBeLessThan(steps.length);
    expect(torn).toMatchObject({ verified: 0 });
    expect(report).toMatchObject({ code: 65, ok: false });
    expect(report.err).toContain(`Read up to record ${records}`);
    expect(report.out).toContain(`Every rule was kept up to record ${records}, where the journal breaks off\n`);
  });
});

describe('oddsmaker conform on a broken rule', () => {
  it('names its record, time and requests', async () => {
    const places = steps.flatMap(({ commands }) => commands).filter((command) => command.type === 'place');
    const [first] = places;
    const [used] = first?.orders ?? [];
    const last = places.at(-1);
    const file = await withCommands((command) =>
      command.type === 'place' && command.req === last?.req
        ? { ...command, orders: command.orders.map((order) => ({ ...order, ref: used?.ref })) }
        : command,
    );
    const report = await conform(file);
    expect(report).toMatchObject({ code: 65, ok: false, err: '' });
    const finding = report.rules.find(({ id }) => id === 'reference')?.findings[0];
    const step = steps.find(({ commands }) => last !== undefined && commands.includes(last));
    expect(finding).toEqual({
      rule: 'reference',
      seq: step?.input.seq,
      at: new Date(step?.input.t ?? 0).toISOString(),
      text: `${used?.ref} was used before`,
      requests: [last?.req],
    });
    expect(report.out).toContain(
      `reference  #${step?.input.seq}  ${finding?.at}\n  ${used?.ref} was used before (request ${last?.req})\n`,
    );
    expect(report.out).toMatch(/The rules were broken (once|\d+ times)\n$/);
  });

  it('applies the limits in the journal itself', async () => {
    const file = await rewrite(made.journal, copy(), {
      header: (header) => {
        const config = header.config as { readonly exchange: { readonly limits: object } };
        const limits = { ...config.exchange.limits, place: { requests: 2, window: 5000 } };
        return { ...header, config: { ...config, exchange: { ...config.exchange, limits } } };
      },
    });
    const report = await conform(file);
    expect(report.code).toBe(65);
    expect(report.rules.filter(({ found }) => found > 0).map(({ id }) => id)).toEqual(['window-place']);
  });

  it('counts each time it was broken', async () => {
    const file = await withCommands((command) =>
      command.type === 'edit' ? { ...command, permit: 1_000_000 } : command,
    );
    const report = await conform(file);
    expect(report.rules.find(({ id }) => id === 'permit')?.found).toBe(sentIn('edit'));
    expect(report.out).toMatch(new RegExp(`^The rules were broken ${sentIn('edit')} times$`, 'm'));
  });
});

describe('oddsmaker conform on a damaged journal', () => {
  it('refuses a changed record', async () => {
    const file = copy();
    writeFileSync(file, readFileSync(made.journal, 'utf8').replace('"permit":3', '"permit":4'));
    const { code, out, err } = await cli('conform', file);
    expect({ code, out }).toEqual({ code: 65, out: '' });
    expect(err).toMatch(/^oddsmaker: .*:\d+: the chain does not match/);
  });

  it('refuses a header or a record that this version cannot read', async () => {
    const header = await rewrite(made.journal, copy(), { header: (original) => ({ ...original, config: {} }) });
    expect(await cli('conform', header)).toMatchObject({
      code: 65,
      out: '',
      err: expect.stringContaining('cannot be read by this version: exchange') as string,
    });
    const record = await withCommands((command) => (command.type === 'place' ? { ...command, orders: 5 } : command));
    expect(await cli('conform', record)).toMatchObject({
      code: 65,
      out: '',
      err: expect.stringMatching(/record \d+ is none that this version writes: /) as string,
    });
  });
});
