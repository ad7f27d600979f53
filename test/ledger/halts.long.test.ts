// A halt, a pause and a fence hold when journal.dir changes: the ledger has them too. Bots and guards run as
// processes.
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { isFenced, raiseFence, readFence, runFiles } from '../../src/ops/index.ts';
import { eventually, placesOf } from '../guard/fixtures.ts';
import { start } from '../support/children.ts';
import { kill, ledgerScene, stop } from './fixtures.ts';

it('a halt, a pause and a fence survive a change of journal.dir until one resume lifts both records', async () => {
  const scene = await ledgerScene();
  const { startBot, change, ctl, status, story, quotes, config, rows } = scene;
  let folder = 'run';
  const moveTo = (next: string): void => {
    change(`dir: ./${folder}`, `dir: ./${next}`);
    folder = next;
  };
  const files = () => runFiles(join(dirname(config), folder), 'alice');
  const accountRead = (): Promise<unknown> =>
    eventually('the account is read', async () => (await status())['accountRead'] === true);

  // a halt
  const first = startBot();
  await quotes(1);
  expect((await ctl('halt')).code).toBe(0);
  await eventually(
    'the halt is in the ledger',
    () => rows('SELECT record FROM halts WHERE record IS NOT NULL').length > 0,
  );
  await kill(first);
  const placed = placesOf(await story());
  moveTo('run2');
  const second = startBot();
  await second.prints('stderr', /KILL_SWITCH/);
  await accountRead();
  expect(await status()).toMatchObject({ trading: 'halted' });
  expect((await ctl('pause')).code).toBe(0);
  expect((await stop(second)).code).toBe(0);

  // the tighter of the two records holds, and a pause in either
  moveTo('run3');
  const third = startBot();
  await third.prints('stderr', /KILL_SWITCH/);
  await accountRead();
  expect(await status()).toMatchObject({ trading: 'halted', closed: 'paused' });
  expect(placesOf(await story())).toBe(placed);
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  expect((await stop(third)).code).toBe(0);
  expect(rows('SELECT record FROM halts WHERE record IS NOT NULL')).toEqual([]);

  // a fence that a bot saw
  const fourth = startBot();
  await quotes(1);
  raiseFence(files().fence, 'the loop of the bot (pid 1) has not turned');
  await fourth.prints('stderr', /a fence stands: nothing is placed until/);
  expect((await stop(fourth)).code).toBe(0);
  moveTo('run4');
  expect(isFenced(files().fence)).toBe(false);
  const fifth = startBot();
  await fifth.prints('stderr', /a fence stands: nothing is placed until/);
  await accountRead();
  expect(await status()).toMatchObject({ state: 'fenced', trading: 'halted' });
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  expect(isFenced(files().fence)).toBe(false);

  // a fence that no bot saw: the guard wrote it to the ledger
  const guard = start(['guard', config]);
  await guard.prints('stderr', /watching a bot/);
  await kill(fifth);
  await guard.prints('stderr', /nothing is open/);
  await eventually(
    'the fence is recorded as cleared',
    () => rows("SELECT record FROM halts WHERE kind = 'fence' AND record LIKE '%\"cleared\":1%'").length === 1,
  );
  guard.child.kill('SIGINT');
  await guard.ended;
  moveTo('run5');
  const sixth = startBot();
  await sixth.prints('stderr', /the fence is lifted/);
  await quotes(1);
  expect(readFence(files().fence)).toBeUndefined();
  expect((await stop(sixth)).code).toBe(0);
  moveTo('run6');
  const seventh = startBot();
  await quotes(1);
  expect(await status()).toMatchObject({ state: 'quoting', trading: 'active' });
  expect((await stop(seventh)).code).toBe(0);

  // halts belong to one instance
  expect(rows('SELECT instance FROM halts').map((row) => row['instance'])).toEqual(['a', 'a']);
}, 300_000);
