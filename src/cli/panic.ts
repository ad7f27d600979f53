// `oddsmaker panic`: cancels everything on the account, foreign orders too, and confirms it; a bot that lives is halted at the same
// time, or it would quote again. Works with nothing but the exchange section of the file.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { loadExchange } from '../config/index.ts';
import { EXIT } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import { createLog, livingOwner } from '../ops/index.ts';
import { AccountDoor, haltBot, filesOf } from '../guard/index.ts';
import { withEnvFile } from './env-file.ts';
import type { HaltedBot } from '../guard/index.ts';

const ASK_EVERY_MS = 1000;
/** The cancel-all of the exchange drains at about 15 orders a second: start it again only after a while. */
const REPEAT_MS = 15_000;
/** What was on its way may land this much later. */
const EMPTY_FOR_MS = 5000;
const GIVE_UP_MS = 120_000;

const HELP = `
Logs in, sends cancelAllOrders, and lists the open orders until nothing rests 5 s after the last cancel; repeats the cancel when
orders stay or come. Every open order of the account goes, whoever placed it. Only the file's exchange section has to be right.

A bot of the account that lives here is named and halted at the same time, by its control socket or, where it does not answer, by a
fence; no cancel waits for that. It stays halted until \`oddsmaker ctl <config> resume\`.

--unless-running is for supervisors: while a bot of the account lives here, its orders are its own.

Exit:  0 nothing is open and no bot quotes, or with --unless-running a bot runs; 2 a wrong command line; 74 that could not be confirmed;
       75 the exchange does not answer; 77 the login was refused; 78 the exchange section is wrong.

Examples:
  oddsmaker panic config/live.yaml
  oddsmaker panic config/live.yaml && echo flat
`;

export function registerPanic(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Cancels every open order of the account, halts its bot, and confirms that none is left.')
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
  const ending = new AbortController();
  // beside the login: neither waits for the other
  let bot: HaltedBot | undefined;
  const halting = haltBot(file, log, ending.signal).then((halted) => {
    bot = halted;
  });
  try {
    await door.login();
    const open = await empty(door, log, () => bot !== undefined);
    await Promise.race([halting, sleep(0)]);
    return told(open, bot);
  } finally {
    ending.abort();
    await halting;
    door.close();
  }
}

/** Cancels until nothing is open, and stays so. How much is open at the end; undefined: that is not known. */
async function empty(door: AccountDoor, log: Log, isHalted: () => boolean): Promise<number | undefined> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  let cancelledAt = Number.NEGATIVE_INFINITY;
  let open: number | undefined;
  let before: number | undefined;
  while (performance.now() < giveUpAt) {
    const since = performance.now() - cancelledAt;
    // what came behind an empty list is no rest of the cancel before
    if ((open !== 0 && since >= REPEAT_MS) || (before === 0 && open !== 0)) {
      log.info('cancelAllOrders was sent', { answer: (await door.cancelAll()) ?? 'taken' });
      cancelledAt = performance.now();
    }
    const askedAt = performance.now();
    before = open;
    open = await door.countOpen();
    log.info('open orders', { open: open ?? 'unknown' });
    if (open === 0 && before === 0 && askedAt - cancelledAt >= EMPTY_FOR_MS && isHalted()) return 0;
    await sleep(ASK_EVERY_MS);
  }
  return open;
}

function told(open: number | undefined, bot: HaltedBot | undefined): number {
  const problems = [
    ...(open === 0 ? [] : [open === undefined ? 'the open orders could not be listed' : `${open} orders are open`]),
    ...(bot === undefined ? ['whether its bot is halted is not known'] : []),
    ...(bot?.problem === undefined ? [] : [bot.problem]),
  ];
  if (bot?.text !== undefined) process.stdout.write(`${bot.text}\n`);
  process.stdout.write(problems.length === 0 ? 'nothing is open\n' : `NOT CONFIRMED: ${problems.join('; ')}\n`);
  return problems.length === 0 ? EXIT.done : EXIT.notConfirmed;
}
