// A run removes old journals of its account, and keeps journals with fills whose games are not settled.
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JournalWriter } from '../../src/journal/journal.ts';
import { stampedName } from '../../src/files/stamped-name.ts';
import {
  DAY_LIMIT,
  exchangeSection,
  folder,
  start,
  startExchange,
  STRATEGIES,
  countsOf,
  writeConfig,
} from '../support/children.ts';
import { GOOD_DISK } from '../support/disk.ts';

const OLD = Date.parse('2020-01-01T00:00:00Z');

it(
  'a run keeps the journal of an earlier run with unsettled fills, and removes an older journal without any',
  { timeout: 90_000 },
  async () => {
    const exchange = await startExchange('--account', 'alice:alice-pw', '--games', '4');
    const home = folder();
    const journals = join(home, 'run');
    mkdirSync(journals);
    const settings = `${exchangeSection(exchange.restUrl, exchange.socketUrl)}${DAY_LIMIT}${STRATEGIES}`;
    const first = start(['run', writeConfig(`${settings}journal: { dir: ./run }\n`, home)]);
    await expect.poll(async () => (await countsOf(exchange, 'alice')).fills, { timeout: 40_000 }).toBeGreaterThan(0);
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(0);
    const [filled = ''] = readdirSync(journals);

    const settled = join(journals, stampedName(OLD, 'settled.ndjson.zst'));
    const { restUrl } = exchange;
    const writer = new JournalWriter(
      settled,
      {
        version: '1',
        config: { exchange: { username: 'alice', playerMode: 'coins', restUrl } },
        strategies: [],
        profile: {},
      },
      GOOD_DISK,
    );
    await writer.close();
    utimesSync(settled, OLD / 1000, OLD / 1000);

    const config = writeConfig(`${settings}journal: { dir: ./run, keep: 1ms, most: 1B }\n`, home);
    const second = start(['run', config]);
    await second.prints('stderr', /old journals were removed/);
    await second.prints('stderr', /the journals take more than journal\.most, and none may be removed/);
    expect(existsSync(settled)).toBe(false);
    expect(existsSync(join(journals, filled))).toBe(true);
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
    expect(readdirSync(journals).filter((name) => name.endsWith('.zst'))).toHaveLength(2);
  },
);
