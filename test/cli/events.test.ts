// Tests `oddsmaker events`: the events of a run, from its journal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, redactedConfig } from '../../src/config/index.ts';
import { JournalWriter } from '../../src/journal/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { folder, writeConfig } from '../support/children.ts';
import { CoreDriver, placesIn } from '../support/core-driver.ts';
import { GOOD_DISK } from '../support/disk.ts';
import { cli } from '../support/journals.ts';

const HEADER: ConstructorParameters<typeof JournalWriter>[1] = {
  version: '1.2.3',
  config: {},
  strategies: [],
  profile: DEFAULT_PROFILE,
};

/** A run that quotes both sides; the home order is accepted, fills by a dollar, and the run stops. */
async function recorded(header = HEADER, file = join(folder(), 'journal.ndjson'), reason?: string): Promise<string> {
  const writer = new JournalWriter(file, header, GOOD_DISK);
  const driver = new CoreDriver();
  driver.record = (...step) => writer.record(...step);
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('nothing was placed');
  const [id] = driver.accept(place, 'o');
  driver.position(
    { orderID: id, odds: 105, offered: 100, filled: 1, remaining: 99 },
    { txID: 'tx1', risk: 1, odds: 105, wager: 1 },
  );
  driver.passTime(3000);
  driver.input({ type: 'operator', command: 'stop', ...(reason !== undefined && { reason }) });
  await writer.close();
  return writer.file;
}

const objectsIn = (out: string): readonly Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('oddsmaker events', () => {
  it('prints one line an event, oldest first', async () => {
    const { code, out } = await cli('events', await recorded());
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}#1 +RunStarted +run run$/);
    const types = lines.map((line) => line.split(/ +/)[2]);
    for (const type of ['OrderSubmitted', 'OrderAccepted', 'OrderRested', 'StateChanged', 'RequestAnswered'])
      expect(types, type).toContain(type);
    expect(lines.find((line) => line.includes('OrderSubmitted'))).toMatch(
      /a\.main\.#0\.run-1: \$100\.00 at [+-]\d+ on moneyline (?:home|away) of game-1 \(request \d+, empty\)/,
    );
  });

  it('prints the fields of the journal with --json, and only the requested types', async () => {
    const { out } = await cli('events', await recorded(), '--json', '--type', 'OrderAccepted');
    const accepted = objectsIn(out);
    expect(accepted).toHaveLength(2);
    expect(accepted[0]).toMatchObject({ type: 'OrderAccepted', orderId: 'o0', status: 200 });
    expect(Object.keys(accepted[0] ?? {}).slice(0, 3)).toEqual(['seq', 't', 'type']);
  });

  it('refuses an unknown type, and lists the known types', async () => {
    const { code, err } = await cli('events', await recorded(), '--type', 'Fills');
    expect(code).toBe(2);
    expect(err).toMatch(/there is no event Fills: it is one of .*Fill, /);
  });

  it('prints a torn journal up to where it breaks off, and says so', async () => {
    const file = await recorded();
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${lines.slice(0, -2).join('\n')}\n`);
    const { code, out, err } = await cli('events', file);
    expect(code).toBe(0);
    expect(err).toMatch(/closing record is missing/);
    expect(out).toContain('OrderSubmitted');
  });

  describe('with a configuration file', () => {
    const configIn = (directory: string, username: string): string =>
      writeConfig(
        [
          'exchange: { restUrl: "http://127.0.0.1:9", socketUrl: "http://127.0.0.1:9", username: ' + username,
          '  , password: "${NOT_SET}" }',
          'strategies: [{ use: ./quotes.ts, id: main }]',
          'journal: { dir: ./run }',
          '',
        ].join('\n'),
        directory,
      );

    it('reads the newest journal of its account, without its secrets', async () => {
      const directory = folder();
      const config = configIn(directory, 'bot');
      const written = async (name: string, username: string, run: string): Promise<void> => {
        const { config: recordedAs } = loadConfig(configIn(folder(), username), { NOT_SET: 'x' });
        const header = { ...HEADER, config: redactedConfig(recordedAs) };
        await recorded(header, join(directory, 'run', name), run);
      };
      await written('2026-11-27T10-00-00-000Z-0000000a.ndjson', 'bot', 'first');
      await written('2026-11-27T11-00-00-000Z-0000000b.ndjson', 'bot', 'second');
      await written('2026-11-27T12-00-00-000Z-0000000c.ndjson', 'other', 'third');
      const { code, out, err } = await cli('events', config, '--type', 'OperatorActed');
      expect(err).toBe('');
      expect(code).toBe(0);
      expect(out).toMatch(/second/);
    });

    it('says when no run of the account has written a journal', async () => {
      const { code, err } = await cli('events', configIn(folder(), 'bot'));
      expect(code).toBe(65);
      expect(err).toMatch(/run: no journal of this account is there: a run with .*yaml writes it/);
    });
  });

  it('ends --follow at the end of the journal', async () => {
    const { code, out } = await cli('events', await recorded(), '--follow', '--type', 'OrderSubmitted');
    expect(code).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(2);
  });
});
