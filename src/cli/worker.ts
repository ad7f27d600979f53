// `oddsmaker worker`: plays points of sweeps from the queues of a Redis server.
import { availableParallelism, hostname } from 'node:os';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ExitCode } from '../domain/index.ts';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import type { BundledTape, OpenBundle, SweepBundle } from '../sweep/index.ts';
import type { SweepNotice, OpenSweep } from '../sweep/queue/index.ts';
import { readKey, RedisLink, Taker, TapeStore } from '../sweep/queue/index.ts';
import { compactTape } from '../tape/index.ts';
import { duration, wholeNumber } from './flags.ts';
import { say } from './say.ts';
import { PointThreads, checkStrategies, sha256OfText } from '../sweep/index.ts';
import { unpackStrategies, sweepVersion } from '../setup/index.ts';

type Flags = {
  readonly redis: string;
  readonly key: string;
  readonly threads?: number;
  readonly tapes?: string;
  readonly lock: number;
  readonly wait: number;
};

const DEFAULT_LOCK_MS = 60_000;
const DEFAULT_WAIT_MS = 60_000;
const MIN_LOCK_MS = 1000;

const HELP = `
Takes points from the sweeps in that Redis, one of each sweep in turn, and plays each in a thread. It runs the strategies
that a sweep sends, but only those signed with the key. Its version and build must be those of the sweep. Tapes are known
by their content: files in --tapes may have any name; the worker gets others from the sweep and keeps them in the user's
cache.

After Ctrl-C or SIGTERM it takes no more points, finishes the running ones and exits; a second signal ends it at once.
Another worker plays the points of a killed worker after --lock. A point counts once, however many workers run or die.

rediss:// is Redis over TLS; for a certificate of your own authority set NODE_EXTRA_CA_CERTS=ca.pem.

Exit:  0 it was stopped; 2 a wrong command line; 65 something else writes into the keys of oddsmaker in Redis; 75 Redis
       is away or full for longer than --wait; 77 it refuses the password, or its certificate is not trusted; 78 a key
       that cannot be used.

Examples:
  head -c 32 /dev/urandom > sweep.key && chmod 600 sweep.key
  oddsmaker worker --redis redis://127.0.0.1:6379 --key sweep.key
  oddsmaker worker --redis redis://:secret@10.0.0.5:6379 --key sweep.key --tapes /data/tapes --threads 16
`;

export function registerWorker(command: Command, finish: (code: number) => void): void {
  command
    .description('Plays points of sweeps from the queues of a Redis or Valkey.')
    .requiredOption('--redis <url>', 'where the queues are, such as redis://127.0.0.1:6379')
    .requiredOption('--key <file>', 'the key that the sweeps sign with')
    .option('--threads <n>', 'points at once (default: as many as there are cores)', wholeNumber(1, 256))
    .option('--tapes <dir>', 'folder of tapes that are on this machine')
    .addOption(
      new Option('--lock <time>', 'after this long without a sign of life its points go to others')
        .argParser(duration)
        .default(DEFAULT_LOCK_MS, '60s'),
    )
    .addOption(
      new Option('--wait <time>', 'how long Redis may be away').argParser(duration).default(DEFAULT_WAIT_MS, '60s'),
    )
    .addHelpText('after', HELP)
    .action(async (flags: Flags, self: Command) => {
      if (flags.lock < MIN_LOCK_MS) self.error('error: --lock: expected at least 1s', { exitCode: EXIT.usage });
      finish(await work(flags));
    });
}

async function work({
  redis,
  key: keyFile,
  threads: atOnce = availableParallelism(),
  tapes,
  lock,
  wait,
}: Flags): Promise<ExitCode> {
  const key = readKey(keyFile);
  const store = new TapeStore(tapes, key);
  const link = new RedisLink(redis, wait);
  const threads = new PointThreads(atOnce);
  const taker = new Taker(link, key, {
    id: `${hostname()}:${process.pid}`,
    version: sweepVersion(),
    threads: atOnce,
    note: say,
    lockMs: lock,
    waitMs: wait,
    open: (notice, text) => open(notice, text, store, threads),
  });
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.kill(process.pid, 'SIGKILL');
    isStopping = true;
    say('no more points are taken, and running ones are finished; another signal ends it at once');
    taker.stop();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    const risk = await link.risk();
    if (risk !== undefined) say(risk);
    say(`worker ${hostname()}:${process.pid} of version ${sweepVersion()} waits for points at ${link.shown}`);
    await taker.run();
    return EXIT.done;
  } finally {
    for (const signal of signals) process.off(signal, stop);
    await threads.stop();
    link.close();
  }
}

/** @throws OddsmakerError SWEEP_INVALID, TAPE_INVALID */
async function open(
  { bundle: sha256, tapes, serve, budgetMs }: SweepNotice,
  text: string,
  store: TapeStore,
  threads: PointThreads,
): Promise<OpenSweep> {
  if (sha256OfText(text) !== sha256)
    throw new OddsmakerError('SWEEP_INVALID', 'its bundle is another one than it was announced with');
  const bundle = JSON.parse(text) as SweepBundle;
  checkStrategies(bundle.strategies);
  const found = await store.find(inBundle(bundle, tapes), serve);
  for (const tape of found) await compactTape(tape, { lenient: bundle.lenient });
  const home = process.cwd();
  const unpacked = unpackStrategies('the sweep', bundle.strategies, home);
  const opened: OpenBundle = { bundle, tapes: found, home, files: unpacked.files, folder: unpacked.folder };
  return {
    play: async ({ settings, games }) => {
      const job = { open: opened, settings, games: games ?? undefined };
      const { outcome, isMachineFault } = await threads.play(job, budgetMs);
      if (isMachineFault !== true || outcome.status !== 'failed') return outcome;
      // what is cached about these tape files may be wrong
      store.forget(found);
      throw new OddsmakerError('TAPE_INVALID', outcome.problem);
    },
    close: unpacked.close,
  };
}

/**
 * The tapes of the bundle, after a check that they are the announced ones. Both are signed, and results
 * depend on the bundle.
 */
function inBundle({ tapes }: SweepBundle, announced: readonly BundledTape[]): readonly BundledTape[] {
  if (JSON.stringify(tapes) === JSON.stringify(announced)) return tapes;
  throw new OddsmakerError('SWEEP_INVALID', 'its bundle names other tapes than it was announced with');
}
