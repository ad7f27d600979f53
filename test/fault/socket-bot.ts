// Runs the bot of `oddsmaker run` in this process against an exchange over real sockets, under a fault plan
// that can be changed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { Fields, Log } from '../../src/ops/index.ts';
import { runFiles, SafetyNet } from '../../src/ops/index.ts';
import { faultPlanSchema } from '../../src/paper/index.ts';
import type { WireProfile } from '../../src/wire/index.ts';
import type { Rule, Venue } from './live.ts';
import { startVenue, writeBotConfig } from './live.ts';

export type Seen = { readonly bot: Bot; readonly venue: Venue; readonly logged: readonly Fields[] };

/** `folder` does not exist yet. `setFaults` replaces the fault plan. */
export async function withBot(
  folder: string,
  rules: readonly Rule[],
  during: (seen: Seen, setFaults: (rules: readonly Rule[]) => Promise<void>) => Promise<void>,
  { profile = {}, code = 0 }: { readonly profile?: Partial<WireProfile>; readonly code?: number } = {},
): Promise<void> {
  const venue = await startVenue(1, rules, {
    limits: { place: { requests: 25, windowMs: 1000 }, cancel: { requests: 30, windowMs: 1000 } },
    // a half-open connection is found soon
    ping: { intervalMs: 400, timeoutMs: 400 },
    profile,
  });
  const { exchange } = venue;
  const loaded = loadConfig(writeBotConfig(venue, folder), process.env);
  mkdirSync(join(folder, 'run'), { recursive: true });
  const logged: Fields[] = [];
  const take = (message: string, fields: Fields = {}): void => void logged.push({ ...fields, message });
  const log: Log = { debug: take, info: take, warn: take, error: take };
  const net = new SafetyNet(runFiles(join(folder, 'run'), 'bot'), loaded.config.guard.deadline, log);
  const { restUrl, socketUrl } = exchange;
  const target = { restUrl, socketUrl, username: 'bot', password: 'secret', former: NO_FORMER_RUNS };
  const bot = new Bot(loaded, await loadCoreSettings(loaded), target, { log, net });
  const running = bot.run(exchange.failed);
  try {
    await during({ bot, venue, logged }, async (now) => {
      const plan = JSON.stringify(faultPlanSchema.parse({ rules: now }));
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${exchange.adminUrl}/faults`, { method: 'PUT', headers, body: plan });
    });
  } finally {
    bot.stop('stop');
    expect((await running).code).toBe(code);
    net.close();
    await exchange.close();
  }
}
