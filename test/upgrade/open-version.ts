// Opens the files of an earlier version with the present code, as a start, a replay and a reader do.
import { cpSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BotMemory } from '../../src/live/bot-memory.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { headerOf } from '../../src/journal/journals-in.ts';
import { loadReplay } from '../../src/replay/replay-core.ts';
import { replayJournal } from '../../src/replay/replay-journal.ts';
import { runFilesOf } from '../../src/setup/run-folder.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { Arrival } from '../../src/domain/index.ts';
import type { Core } from '../../src/engine/index.ts';
import { createLog, SafetyNet } from '../../src/ops/index.ts';
import { folder } from '../support/children.ts';
import { CoreDriver } from '../support/core-driver.ts';

/** The modification time of the files, in seconds since 1970. */
const WRITTEN_S = Date.parse('2026-11-27T09:00:00Z') / 1000;

/** A copy of the version's files in a new folder, so that tests may write to them. */
export function openVersion(version: string): string {
  const copy = folder();
  cpSync(join(import.meta.dirname, version), copy, { recursive: true });
  for (const packed of ['run/ledger.db', 'exchange.state']) {
    const file = join(copy, `${packed}.gz`);
    writeFileSync(join(copy, packed), gunzipSync(readFileSync(file)), { mode: 0o600 });
    rmSync(file);
  }
  // a checkout loses modification times; the names of journals sort by time
  for (const [index, name] of readdirSync(join(copy, 'run')).sort().entries())
    utimesSync(join(copy, 'run', name), WRITTEN_S + index, WRITTEN_S + index);
  return copy;
}

/** The parts of a core's state that an operator sees. */
const seen = (core: Core) => ({
  trading: core.status().trading,
  day: core.status().day,
  pnl: core.status().pnl,
  positions: Object.fromEntries(
    core
      .markets()
      .filter(({ position }) => position.staked > 0)
      .map(({ market, position: { first, second, staked } }) => [market, { first, second, staked }]),
  ),
});

/** Replays the journal of a run. */
export async function replayed(home: string, journal: string) {
  const file = join(home, 'run', `${journal}.ndjson.zst`);
  const replay = await loadReplay(file, await headerOf(file), undefined);
  try {
    const { records, commands, difference, tear, invalid } = await replayJournal(file, replay, 'comparing');
    return { records, commands, difference, torn: tear?.line, invalid, end: seen(replay.core) };
  } finally {
    replay.close();
  }
}

/** Starts the bot by the present clock up to the reading of the account, where the exchange lists nothing. */
export async function nextStart(home: string) {
  const loaded = loadConfig(join(home, 'bot.yaml'), {});
  const log = createLog('error', true);
  const files = runFilesOf(loaded);
  const net = new SafetyNet(files, loaded.config.guard.deadline, log);
  const memory = new BotMemory({ loaded, files, net, log, username: files.account, dayLoss: undefined });
  const boot: Arrival = { type: 'boot', run: 'next', ...memory.boot };
  const { settings } = await loadCoreSettings(loaded);
  const driver = new CoreDriver(settings);
  driver.wall = Date.now();
  driver.input(boot);
  driver.input({ type: 'session', username: files.account, userId: 'u', mode: 'coins', balance: 10_000 });
  driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  driver.passTime(2000);
  return { boot, formerPnl: memory.formerPnl, ...seen(driver.core) };
}
