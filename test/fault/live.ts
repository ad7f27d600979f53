// Helpers for runs over real sockets: an exchange in this process with its windows cut to a second, a bot
// configuration that matches it, and a journal replayed for what the bot believed at its end.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyJournal } from '../../src/replay/verify.ts';
import { conformSettings } from '../../src/conform/index.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import type { LoadedConfig } from '../../src/config/index.ts';
import { Core } from '../../src/engine/index.ts';
import type { VenueAccount, WindowLimits } from '../../src/venue/index.ts';
import { faultPlanSchema } from '../../src/paper/index.ts';
import type { PaperExchange } from '../../src/paper/server/server.ts';
import { startPaperExchange } from '../../src/paper/server/server.ts';
import { Conformance } from '../../src/conform/conformance.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import type { WireProfile } from '../../src/wire/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { exchangeSection, TWO_SIDED } from '../support/children.ts';
import type { Judge } from './judge.ts';

export type Rule = Readonly<Record<string, unknown>>;

const ACCOUNT = { username: 'bot', password: 'secret' };
/** The exchange's own windows, cut so that a run of seconds sees many of them. */
const LIMITS: WindowLimits = {
  place: { requests: 5, windowMs: 1000 },
  cancel: { requests: 15, windowMs: 1000 },
};

export type VenueOptions = {
  readonly limits?: WindowLimits;
  readonly ping?: { readonly intervalMs: number; readonly timeoutMs: number } | undefined;
  readonly profile?: Partial<WireProfile>;
};

export type Venue = {
  readonly exchange: PaperExchange;
  readonly limits: WindowLimits;
  readonly account: VenueAccount;
  /** How often each rule of the plan has struck. */
  readonly hits: () => Promise<readonly number[]>;
};

export async function startVenue(
  seed: number,
  rules: readonly Rule[],
  { limits = LIMITS, ping, profile }: VenueOptions = {},
): Promise<Venue> {
  const exchange = await startPaperExchange({
    games: 4,
    seed,
    accounts: [ACCOUNT],
    limits,
    faults: faultPlanSchema.parse({ seed, rules }),
    ...(ping === undefined ? {} : { ping }),
    profile: { ...DEFAULT_PROFILE, ...profile },
  });
  const account = exchange.venue.accounts.get(ACCOUNT.username);
  if (account === undefined) throw new Error('no account');
  return {
    exchange,
    limits,
    account,
    hits: async () => {
      const reply = (await (await fetch(`${exchange.adminUrl}/faults`)).json()) as { hits: readonly number[] };
      return reply.hits;
    },
  };
}

/** A configuration in a new folder of its own, its journals beside it. */
export function writeBotConfig({ exchange, limits }: Venue, folder: string): string {
  const { restUrl, socketUrl } = exchange;
  const { place, cancel } = limits;
  mkdirSync(folder);
  const file = join(folder, 'bot.yaml');
  writeFileSync(
    file,
    exchangeSection(restUrl, socketUrl, ACCOUNT) +
      [
        '  requestTimeout: 700ms',
        '  lateArrival: 2s',
        '  limits:',
        `    place: { requests: ${place.requests}, window: ${place.windowMs}ms }`,
        `    cancel: { requests: ${cancel.requests}, window: ${cancel.windowMs}ms }`,
        'orders: { reserve: 1, tolerance: 0.001 }',
        'risk: { resumeAfter: 250ms, maxDailyLoss: 100000 }',
        'markets: { leagues: [NBA], lines: main }',
        'journal: { dir: ./run }',
        'ops: { port: 0 }',
        'strategies:',
        // close to the price of others: orders that fill within seconds show more than orders that only rest
        `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.004, risk: 60 } }`,
        '',
      ].join('\n'),
  );
  return file;
}

/** The journals of a configuration's runs, oldest first. */
export function journalsOf(config: LoadedConfig): readonly string[] {
  const folder = config.resolve('./run');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson.zst'))
    .sort()
    .map((name) => join(folder, name));
}

/** Replays a run in a new core. The journal must replay byte for byte, and keep the rules of the exchange. */
export async function replay(loaded: LoadedConfig, file: string, judge: Judge): Promise<Core> {
  const journal = await readJournal(file);
  const { settings } = await loadCoreSettings(loaded);
  const core = new Core(settings, { reportAsync: () => undefined });
  const difference = verifyJournal(core, settings.profile, journal);
  if (difference !== undefined) judge.say('the journal replays differently', `at record ${difference.seq} of ${file}`);
  const conformance = new Conformance(conformSettings(loaded.config));
  for (const step of journal.steps) {
    judge.checkStep(step.input.in, step.commands);
    conformance.applyStep(step);
  }
  for (const { id, findings } of conformance.rules)
    for (const { seq, text } of findings) judge.say(`conform ${id}`, `${text}, at record ${seq} of ${file}`);
  return core;
}

/** True as soon as `ask` returns true; false when it does not within this time. */
export async function comesTrue(ask: () => boolean, withinMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (!ask()) {
    if (performance.now() > giveUpAt) return false;
    await sleep(20);
  }
  return true;
}
