// examples/rating_model.py next to a bot on a paper exchange: the bot offers around its prices.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BIN, folder, ROOT } from '../support/children.ts';
import { eventually, scene } from '../guard/fixtures.ts';

const MODEL = join(ROOT, 'examples/rating_model.py');
const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });
const OWN = `strategies:\n  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.02, risk: 50 } }\n`;

describe.skipIf(python.status !== 0)('the rating model (needs python3)', () => {
  it('prices every moneyline by the ratings, and the bot offers around its prices', async () => {
    const { startBot, config, ctl, quotes, status } = await scene(OWN);
    const bot = startBot();
    await eventually('markets are quoted', async () => {
      const report = await status().catch(() => undefined);
      return report?.['markets'] === 2;
    });
    const listed = JSON.parse((await ctl('markets', '--json')).stdout) as readonly {
      market: string;
      game: string;
    }[];
    const [first] = listed;
    const [, home = ''] = first?.game.split(' @ ') ?? [];
    const ratings = join(folder(), 'ratings.json');
    writeFileSync(ratings, JSON.stringify({ [home]: 1500 - 60 + 400 * Math.log10(3) }));
    const { stdout } = await promisify(execFile)('python3', [
      ...[MODEL, config, '--ratings', ratings, '--rounds', '2', '--every', '3'],
      ...['--command', `${process.execPath} ${BIN}`],
    ]);
    expect(stdout).toBe('2 prices, good for 9s\n2 prices, good for 9s\n');
    await quotes(2);
    const { signals } = await status();
    expect(signals).toMatchObject({ [`fair:${first?.market}`]: { value: 0.75 } });
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
  }, 60_000);
});
