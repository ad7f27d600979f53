// The wall clock is set while a bot runs, over real sockets: no measured duration changes, and games that
// start within the step wait until the exchange has reported its time (rules.md, 1).
import { expect, it } from 'vitest';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import { eventually, memoryLog, placesOf, scene } from '../guard/fixtures.ts';
import { startDoor } from '../support/children.ts';

const HOUR = 3_600_000;

it('a bot continues to quote over steps of the wall clock, but not a game that may have begun', async () => {
  const { venue, config, story, quotes } = await scene();
  let dates = true;
  const door = await startDoor(venue, () => dates);
  const loaded = loadConfig(config, process.env);
  const log = memoryLog();
  let ahead = 0;
  const { restUrl: _, ...feeds } = venue;
  const bot = new Bot(
    loaded,
    await loadCoreSettings(loaded),
    { ...feeds, restUrl: door.url, username: 'alice', password: 'alice-pw', former: NO_FORMER_RUNS },
    {
      log,
      net: {
        followsDead: false,
        beginRun: () => undefined,
        loopCompleted: () => undefined,
        mayPlace: () => undefined,
        fault: () => undefined,
        ending: () => undefined,
        ended: async () => undefined,
      },
      clocks: { wall: () => Date.now() + ahead, mono: () => performance.now() },
    },
  );
  const over = bot.run(new Promise(() => undefined));
  const alerts = (): unknown => bot.view.alerts['CLOCK_STEPPED'] ?? 0;
  await quotes(4);

  // one of the two games starts in half an hour, the other one in hours
  const [soon] = venue.games;
  await fetch(`${venue.adminUrl}/games/${soon?.id ?? ''}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ start: new Date(Date.now() + HOUR / 2).toISOString() }),
  });
  const marketsOf = (id: string | undefined): number =>
    bot.markets.filter(({ gameId, quoted }) => quoted && gameId === id).length;
  await eventually('the bot has seen the new start', () =>
    bot.markets.some(({ gameId, start }) => gameId === soon?.id && (start ?? 0) < Date.now() + HOUR),
  );

  dates = false;
  ahead = -40_000;
  await eventually('it reports the step', () => alerts() === 1);
  let before = placesOf(await story());
  await eventually('quotes keep up', async () => placesOf(await story()) > before, 10_000);
  expect(marketsOf(soon?.id)).toBe(1);

  ahead = -HOUR;
  await eventually('it reports the second step', () => alerts() === 2);
  await eventually('the game that starts within the step is left alone', () => marketsOf(soon?.id) === 0);
  before = placesOf(await story());
  await eventually('the other game is quoted', async () => placesOf(await story()) > before, 10_000);
  expect(marketsOf(soon?.id)).toBe(0);
  await eventually('only the other game has orders', async () => (await story()).openOrders === 2);
  dates = true;
  await eventually('the exchange reported its time', () => marketsOf(soon?.id) === 1);
  await quotes(4);
  // the bot uses the time of the exchange now, whatever the clock of the machine says
  expect(alerts()).toBe(2);
  expect(log.hasLogged(/sent its time/)).toBe(true);

  bot.stop('stop');
  expect((await over).code).toBe(0);
  expect(await story()).toMatchObject({ openOrders: 0 });
}, 60_000);
