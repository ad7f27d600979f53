// The wall clock of the system is set under a running bot, by libfaketime (Debian), while its monotonic clock
// runs on: quotes continue, each step raises one alert, no game that may have begun is quoted, and the stop
// works (rules.md, 1).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually, placesOf, scene } from '../guard/fixtures.ts';
import { folder, start, startDoor } from '../support/children.ts';

const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));
const HOUR_S = 3600;

type Alert = { readonly alert?: string; readonly news?: string; readonly byMs?: number };

it.skipIf(LIBRARY === undefined && process.env['CI'] === undefined)(
  'a bot continues to quote over steps of −40 s, −1 h and +1 h of the system clock',
  async () => {
    if (LIBRARY === undefined) throw new Error('libfaketime is not installed: apt-get install libfaketime');
    const { venue, config, story, quotes, ctl } = await scene();
    let dates = true;
    const door = await startDoor(venue, () => dates);
    writeFileSync(config, readFileSync(config, 'utf8').replace(venue.restUrl, door.url));
    const offset = join(folder(), 'offset');
    const set = (seconds: number): void => writeFileSync(offset, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    set(0);
    const bot = start(['run', config], {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    let output = '';
    bot.child.stderr.on('data', (text: string) => (output += text));
    const steps = (): readonly number[] =>
      output
        .split('\n')
        .filter((line) => line.includes('"alert":"CLOCK_STEPPED"'))
        .map((line) => Math.round(((JSON.parse(line) as Alert).byMs ?? 0) / 1000));
    const quoted = async (): Promise<readonly string[]> => {
      const { stdout } = await ctl('markets', '--json');
      const markets = JSON.parse(stdout) as readonly { readonly gameId: string; readonly quoted: boolean }[];
      return markets.filter((market) => market.quoted).map(({ gameId }) => gameId);
    };
    await quotes(4);
    const [soon, later] = venue.games.map(({ id }) => id) as [string, string];
    await fetch(`${venue.adminUrl}/games/${soon}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ start: new Date(Date.now() + (HOUR_S / 2) * 1000).toISOString() }),
    });

    const expected: number[] = [];
    let offsetSeconds = 0;
    for (const step of [-40, -HOUR_S, HOUR_S]) {
      expected.push(step);
      dates = false;
      set((offsetSeconds += step));
      await eventually('the step is reported', () => steps().length === expected.length);
      const before = placesOf(await story());
      const beganAt = performance.now();
      await eventually('quotes keep up', async () => placesOf(await story()) > before);
      expect(performance.now() - beganAt).toBeLessThan(10_000);
      const isHour = Math.abs(step) === HOUR_S;
      await eventually('what may have begun is not quoted', async () => {
        const games = await quoted();
        return games.includes(later) && games.includes(soon) !== isHour;
      });
      dates = true;
      await eventually('the exchange reported its time', async () => (await quoted()).length === 2);
      await quotes(4);
    }
    expect(steps()).toEqual(expected);

    bot.child.kill('SIGINT');
    const { code, stderr } = await bot.ended;
    expect(code, stderr).toBe(0);
    expect(await story()).toMatchObject({ openOrders: 0 });
  },
  120_000,
);
