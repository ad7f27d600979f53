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
type Told = z.infer<typeof REPORT> & { readonly code: number; readonly out: string; readonly err: string };

/** Both spellings of one verdict. */
async function conform(journal: string): Promise<Told> {
  const json = await cli('conform', journal, '--json');
  const people = await cli('conform', journal);
  expect(people).toMatchObject({ code: json.code, err: json.err });
  return { ...REPORT.parse(JSON.parse(json.out)), ...people };
}

let at = '';
let made: FaultyJournal = { config: '', journal: '' };
let steps: readonly JournalStep[] = [];
let files = 0;
const copy = (): string => join(at, `copy-${(files += 1)}.ndjson`);
beforeAll(async () => {
  at = mkdtempSync(join(tmpdir(), 'oddsmaker-conform-'));
  made = await writeFaultyJournal(at);
  ({ steps } = await readJournal(made.journal));
});
afterAll(() => rmSync(at, { recursive: true, force: true }));

const sentIn = (type: Command['type']): number =>
  steps.flatMap(({ commands }) => commands).filter((command) => command.type === type).length;

const withCommands = (change: (command: Command) => unknown): Promise<string> =>
  rewrite(made.journal, copy(), {
    steps: (all) => all.map((step) => ({ ...step, commands: step.commands.map(change) as readonly Command[] })),
  });

describe('the journal of a run under faults', () => {
  it('keeps every rule', async () => {
    const told = await conform(made.journal);
    expect(told).toMatchObject({
      code: 0,
      err: '',
      ok: true,
      journal: { file: made.journal, records: steps.length, torn: null },
      requests: { place: sentIn('place'), edit: sentIn('edit'), cancel: sentIn('cancel') },
    });
    expect(told.requests.unanswered).toBeGreaterThan(0);
    expect(told.requests.throttled.cancel).toBeGreaterThan(0);
    expect(told.rules.map(({ id }) => id)).toEqual(RULE_IDS);
    for (const { id, checked, found } of told.rules) {
      expect({ id, found }).toEqual({ id, found: 0 });
      if (id !== 'never-landed') expect({ id, checked: checked > 0 }).toEqual({ id, checked: true });
      expect(told.out).toMatch(new RegExp(`^${id} +${checked} +0  \\w`, 'm'));
    }
    expect(told.out.endsWith('\n\nEvery rule was kept\n')).toBe(true);
  });

  it('is checked in a process of its own', async () => {
    expect(await run(['conform', made.journal])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is checked up to where it breaks off', async () => {
    const file = copy();
    const bytes = readFileSync(made.journal);
    writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    const told = await conform(file);
    const { records, torn } = told.journal;
    expect(records).toBeGreaterThan(100);
    expect(records).toBeLessThan(steps.length);
    expect(torn).toMatchObject({ verified: 0 });
    expect(told).toMatchObject({ code: 65, ok: false });
    expect(told.err).toContain(`Read up to record ${records}`);
    expect(told.out).toContain(`Every rule was kept up to record ${records}, where the journal breaks off\n`);
  });
});

describe('a rule that was broken', () => {
  it('is named with record, time and requests', async () => {
    const places = steps.flatMap(({ commands }) => commands).filter((command) => command.type === 'place');
    const [first] = places;
    const [used] = first?.orders ?? [];
    const last = places.at(-1);
    const file = await withCommands((command) =>
      command.type === 'place' && command.req === last?.req
        ? { ...command, orders: command.orders.map((order) => ({ ...order, ref: used?.ref })) }
        : command,
    );
    const told = await conform(file);
    expect(told).toMatchObject({ code: 65, ok: false, err: '' });
    const finding = told.rules.find(({ id }) => id === 'reference')?.findings[0];
    const step = steps.find(({ commands }) => last !== undefined && commands.includes(last));
    expect(finding).toEqual({
      rule: 'reference',
      seq: step?.input.seq,
      at: new Date(step?.input.t ?? 0).toISOString(),
      text: `${used?.ref} was used before`,
      requests: [last?.req],
    });
    expect(told.out).toContain(
      `reference  #${step?.input.seq}  ${finding?.at}\n  ${used?.ref} was used before (request ${last?.req})\n`,
    );
    expect(told.out).toMatch(/The rules were broken (once|\d+ times)\n$/);
  });

  it('is looked for among the limits of the journal itself', async () => {
    const file = await rewrite(made.journal, copy(), {
      header: (header) => {
        const config = header.config as { readonly exchange: { readonly limits: object } };
        const limits = { ...config.exchange.limits, place: { requests: 2, window: 5000 } };
        return { ...header, config: { ...config, exchange: { ...config.exchange, limits } } };
      },
    });
    const told = await conform(file);
    expect(told.code).toBe(65);
    expect(told.rules.filter(({ found }) => found > 0).map(({ id }) => id)).toEqual(['window-place']);
  });

  it('is counted as often as it was broken', async () => {
    const file = await withCommands((command) =>
      command.type === 'edit' ? { ...command, permit: 1_000_000 } : command,
    );
    const told = await conform(file);
    expect(told.rules.find(({ id }) => id === 'permit')?.found).toBe(sentIn('edit'));
    expect(told.out).toMatch(new RegExp(`^The rules were broken ${sentIn('edit')} times$`, 'm'));
  });
});

describe('a journal that is no good', () => {
  it('is refused where it was changed', async () => {
    const file = copy();
    writeFileSync(file, readFileSync(made.journal, 'utf8').replace('"permit":3', '"permit":4'));
    const { code, out, err } = await cli('conform', file);
    expect({ code, out }).toEqual({ code: 65, out: '' });
    expect(err).toMatch(/^oddsmaker: .*:\d+: the chain does not match/);
  });

  it('is refused when this version cannot read its header, or a record', async () => {
    const header = await rewrite(made.journal, copy(), { header: (told) => ({ ...told, config: {} }) });
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
