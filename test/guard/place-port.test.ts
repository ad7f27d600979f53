// The bot asks before every place and edit, whatever its core decided; cancels are never held back.
import { describe, expect, it } from 'vitest';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import { eventually, memoryLog, placesOf, scene } from './fixtures.ts';

describe('a bot that may not place', () => {
  it('sends none of the places and edits it wants, and places again when it may', async () => {
    const { venue, config, story, quotes } = await scene();
    const loaded = loadConfig(config, process.env);
    let held: string | undefined = 'held by the test';
    let loops = 0;
    let orderly: boolean | undefined;
    const bot = new Bot(
      loaded,
      await loadCoreSettings(loaded),
      { ...venue, username: 'alice', password: 'alice-pw', former: NO_FORMER_RUNS },
      {
        log: memoryLog(),
        net: {
          followsDead: false,
          beginRun: () => undefined,
          loopCompleted: () => (loops += 1),
          mayPlace: () => held,
          fault: () => undefined,
          ending: () => undefined,
          ended: async (how) => {
            orderly = how;
          },
        },
      },
    );
    const over = bot.run(new Promise(() => undefined));
    await eventually('it wants quotes', () => bot.status.wanted >= 2);
    const before = loops;
    await eventually('its loop turns', () => loops > before + 20);
    expect(placesOf(await story())).toBe(0);
    expect(bot.status.unknown).toEqual({ ever: 0, now: 0 });

    held = undefined;
    await quotes();
    held = 'held again';
    const stopped = placesOf(await story());
    bot.stop('stop');
    expect((await over).code).toBe(0);
    expect(await story()).toMatchObject({ openOrders: 0 });
    expect(placesOf(await story())).toBeLessThanOrEqual(stopped + 1);
    expect(orderly).toBe(true);
  }, 30_000);
});
