// `oddsmaker panic`: cancels everything on the account, foreign orders too, and confirms it. Works with nothing but the
// exchange section of the file.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { loadExchange } from '../config/index.ts';
import { EXIT } from '../domain/index.ts';
import { createLog, livingOwner } from '../ops/index.ts';
import { AccountDoor } from './account-door.ts';
import { withEnvFile } from './env-file.ts';
import { filesOf } from './running-bot.ts';

const ASK_EVERY_MS = 1000;
/** The cancel-all of the exchange drains at about 15 orders a second: start it again only after a while. */
const REPEAT_AFTER = 15;
const GIVE_UP_MS = 120_000;

const HELP = `
Logs in, sends cancelAllOrders, and lists the open orders until two lists 1 s apart are empty; repeats the cancel when
orders stay. Every open order of the account goes, whoever placed it. Only the file's exchange section has to be right.

--unless-running is for supervisors: while a bot of the account lives here, its orders are its own.

Exit:  0 nothing is open, or a bot runs; 2 a wrong command line; 74 that could not be confirmed; 75 the exchange does not answer; 77 the
       login was refused; 78 the exchange section is wrong.

Examples:
  oddsmaker panic config/live.yaml
  oddsmaker panic config/live.yaml && echo flat
`;

export function registerPanic(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Cancels every open order of the account and confirms that none is left.')
    .argument('<config>', 'YAML file')
    .option('--unless-running', 'do nothing while a bot of the account lives on this machine')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly unlessRunning?: true }) => {
      const bot = flags.unlessRunning === true ? livingOwner(filesOf(file).lease) : undefined;
      if (bot === undefined) finish(await panic(file));
      else {
        process.stdout.write(`a bot of the account runs (pid ${bot.pid}): nothing was cancelled\n`);
        finish(EXIT.done);
      }
    });
}

async function panic(file: string): Promise<number> {
  const exchange = loadExchange(file, process.env);
  const log = createLog('info');
  const door = new AccountDoor(file, exchange, log);
  try {
    await door.login();
    const giveUpAt = performance.now() + GIVE_UP_MS;
    let empty = 0;
    let open: number | undefined;
    for (let round = 0; performance.now() < giveUpAt; round++) {
      if (round % REPEAT_AFTER === 0) {
        log.info('cancelAllOrders was sent', { answer: (await door.cancelAll()) ?? 'taken' });
      }
      open = await door.countOpen();
      log.info('open orders', { open: open ?? 'unknown' });
      empty = open === 0 ? empty + 1 : 0;
      if (empty === 2) {
        process.stdout.write('nothing is open\n');
        return EXIT.done;
      }
      await sleep(ASK_EVERY_MS);
    }
    process.stdout.write(
      `NOT CONFIRMED: ${open === undefined ? 'the open orders could not be listed' : `${open} orders are open`}\n`,
    );
    return EXIT.notConfirmed;
  } finally {
    door.close();
  }
}
