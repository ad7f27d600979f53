// kill -9: a bot in a process of its own is killed at a seeded moment, also with requests under way, and
// started again at once. The exchange, in this process, sees both runs and judges them together (judge.ts).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import type { VenueAccount, WindowLimits } from '../../src/venue/index.ts';
import { scanJournal } from '../../src/journal/journal-reader.ts';
import { start } from '../support/children.ts';
import { Judge } from './judge.ts';
import type { Rule } from './live.ts';
import { comesTrue, journalsOf, replay, startVenue, writeBotConfig } from './live.ts';

const SENT = ['place', 'edit', 'cancel'] as const;
const QUIET: readonly Rule[] = [];
const LOST: readonly Rule[] = [
  { fault: 'no-answer', on: SENT, nth: [2, 5, 8, 11] },
  { fault: 'no-answer', on: SENT, nth: [4, 7], acted: false },
];
/**
 * Requests are nearly always under way; some arrive only when the second run has read the account already.
 */
const LATE: readonly Rule[] = [{ fault: 'delay', on: SENT, by: { min: 150, max: 1900 } }];

type Kill = {
  readonly seed: number;
  readonly afterMs: number;
  readonly rules: readonly Rule[];
  /** The exchange's records name no references: orders of the first run are known by their ids. */
  readonly isUnnamed?: boolean;
};
const KILLS: readonly Kill[] = [
  { seed: 1, afterMs: 300, rules: QUIET },
  { seed: 2, afterMs: 700, rules: LOST },
  { seed: 3, afterMs: 1100, rules: LATE },
  { seed: 4, afterMs: 1500, rules: LOST },
  { seed: 5, afterMs: 1900, rules: LATE },
  { seed: 6, afterMs: 2300, rules: QUIET },
  { seed: 7, afterMs: 2750, rules: LATE },
  { seed: 8, afterMs: 3150, rules: LOST },
  { seed: 9, afterMs: 3600, rules: QUIET },
  { seed: 10, afterMs: 4000, rules: LATE },
  ...Array.from({ length: 10 }, (_none, index) => ({
    seed: 11 + index,
    afterMs: 500 + (((11 + index) * 373) % 3500),
    rules: [LATE, LOST, QUIET][index % 3] ?? QUIET,
  })),
  { seed: 31, afterMs: 900, rules: QUIET, isUnnamed: true },
  { seed: 32, afterMs: 2100, rules: QUIET, isUnnamed: true },
  { seed: 33, afterMs: 3300, rules: QUIET, isUnnamed: true },
];
/** Longer than a process takes to start: what the first run sent still counts in the second. */
const LIMITS: WindowLimits = {
  place: { requests: 5, windowMs: 6000 },
  cancel: { requests: 15, windowMs: 6000 },
};

const AT_ONCE = 3;

let folder = '';
let failed = false;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-kills-'));
});
afterAll(() => {
  if (!failed) rmSync(folder, { recursive: true, force: true });
});

type Verdict = {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly code: number | null;
  /** Open orders at the exit, or stderr when the bot did not end well. */
  readonly openAtExit: unknown;
};

async function killed({ seed, afterMs, rules, isUnnamed = false }: Kill): Promise<Verdict> {
  const venue = await startVenue(seed, rules, {
    limits: LIMITS,
    profile: { referenceOnRecords: !isUnnamed },
  });
  const { exchange, account, hits } = venue;
  const startedAt = performance.now();
  const judge = new Judge(account, () => (performance.now() - startedAt) / 1000);
  judge.watch(exchange.venue, () => undefined);
  const config = writeBotConfig(venue, join(folder, String(seed)));
  try {
    const first = start(['run', config]);
    if (!(await comesTrue(() => account.open.size > 0, 25_000)))
      judge.say('the first run did not trade', 'nothing ever rested');
    await sleep(afterMs);
    first.child.kill('SIGKILL');
    await first.ended;
    const fillsBefore = account.fills;
    if (account.byReference.size > 0)
      await checkSent(account, journalsOf(loadConfig(config, process.env)).at(-1) ?? '', judge);

    const second = start(['run', config, '--json']);
    if (!(await comesTrue(() => runsOf(account).length === 2, 25_000)))
      judge.say('the second run did not trade', 'nothing of its own ever rested');
    await sleep(1000);
    second.child.kill('SIGINT');
    const { code, stdout, stderr } = await second.ended;
    if (code !== 0) return { seed, broken: judge.broken, code, openAtExit: stderr };

    const loaded = loadConfig(config, process.env);
    const core = await replay(loaded, journalsOf(loaded).at(-1) ?? '', judge);
    const status = core.status();
    judge.checkEnd({ code, status, positions: core.positions(), restarted: true });
    // fills before the account was read are in the position alone, whichever run placed the order
    const own = fillsOf(account, runsOf(account)[1]);
    if (status.fills < own || status.fills > account.fills - fillsBefore)
      judge.say('fills differ', `the second run has ${status.fills}, of its own orders ${own} filled`);
    judge.checkFaults(rules, await hits());
    const { openAtExit } = JSON.parse(stdout) as { readonly openAtExit: unknown };
    return { seed, broken: judge.broken, code, openAtExit };
  } finally {
    await exchange.close();
  }
}

/** Checks that the journal of the killed run records every order that the exchange was sent. */
async function checkSent({ byReference }: VenueAccount, journal: string, judge: Judge): Promise<void> {
  const recorded = new Set<unknown>();
  await scanJournal(journal, {
    step: ({ commands }) => {
      for (const command of commands)
        if (command.type === 'place') for (const { ref } of command.orders) recorded.add(ref);
        else if (command.type === 'edit') recorded.add(command.order.ref);
    },
    torn: () => undefined,
  });
  for (const reference of byReference.keys())
    if (!recorded.has(reference)) judge.say('the journal lacks what was sent', reference);
}

/** A reference ends with run-number. */
const runOf = (reference: string): string => reference.split('.').at(-1)?.split('-')[0] ?? '';

/** The runs of the bot that placed something, oldest first. */
const runsOf = ({ byReference }: VenueAccount): readonly string[] => [...new Set([...byReference.keys()].map(runOf))];

const fillsOf = ({ plays }: VenueAccount, run: string | undefined): number =>
  [...plays.values()].filter(({ order }) => runOf(order.reference ?? '') === run).length;

describe('a bot that is killed and started again', () => {
  it(
    `keeps every rule across both runs, ${KILLS.length} kills, 3 of them where no record names a reference`,
    { timeout: 480_000 },
    async () => {
      failed = true;
      const verdicts: Verdict[] = [];
      // a run mostly waits, but its start does not: a start behind nine others cannot be distinguished from
      // one that hangs
      for (let i = 0; i < KILLS.length; i += AT_ONCE)
        verdicts.push(...(await Promise.all(KILLS.slice(i, i + AT_ONCE).map((kill) => killed(kill)))));
      const good = { broken: [], code: 0, openAtExit: 0 };
      expect(verdicts, folder).toEqual(KILLS.map(({ seed }) => ({ seed, ...good })));
      failed = false;
    },
  );
});
