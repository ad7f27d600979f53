// Plays the points of a sweep with workers on any machine: its queue, its bundle and its tape server.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { readTails } from '../journal/index.ts';
import { problemOf } from './outcome.ts';
import type { SweepNotice } from './queue/board.ts';
import { newSweepId } from './queue/board.ts';
import type { SharedKey } from './queue/key-file.ts';
import { RedisLink } from './queue/redis-link.ts';
import { Submitter } from './queue/submitter.ts';
import { serveTapes } from './queue/tape-server.ts';
import type { Player } from './searched.ts';
import type { Plan } from './plan.ts';
import type { SweepProgress } from './progress.ts';

export type QueueFlags = {
  readonly redis: string;
  readonly key: string;
  readonly serve?: Address | undefined;
  readonly wait: number;
};

type Address = { readonly host: string; readonly port: number };
const HERE: Address = { host: '127.0.0.1', port: 0 };

/** `host:port`. @throws RangeError */
export function address(text: string): Address {
  const [, name = '', digits = ''] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (name === '' || port > 65_535) throw new RangeError('expected an address and a port, such as 10.0.0.5:7070');
  return { host: name.replace(/^\[|\]$/g, ''), port };
}

/** File in --out while the sweep runs: the id of its queue, for a resumed sweep. */
const QUEUE = '.queue';

type Options = Omit<QueueFlags, 'key'> & { readonly out: string; readonly budget: number };

/** Plays the points of a sweep: threads, or workers over a queue. */
export type Players = {
  readonly play: Player;
  /** Called when the results are written: deletes what the sweep left elsewhere. */
  readonly end: () => Promise<void>;
  readonly close: () => void;
};

/** Checks that each tape is one file, since workers get files. @throws OddsmakerError TAPE_INVALID */
function checkWhole(tapes: Plan['tapes']): void {
  for (const { file } of tapes)
    if (readTails(file).length > 0)
      throw new OddsmakerError(
        'TAPE_INVALID',
        `${file}:1: the last steps of this journal are in files beside it, which workers do not get: merge them with \`oddsmaker tape merge ${file} --out whole.ndjson.zst\``,
      );
}

/** Announces the sweep in Redis and serves its tapes. @throws OddsmakerError QUEUE_*, TAPE_INVALID */
export async function queuePlayer(
  plan: Plan,
  { out, redis, serve = HERE, wait, budget }: Options,
  key: SharedKey,
  progress: SweepProgress,
): Promise<Players> {
  checkWhole(plan.tapes);
  const link = new RedisLink(redis, wait);
  try {
    const risk = await link.risk();
    if (risk !== undefined) progress.note(risk);
    const tapes = await serveTapes(serve, new Map(plan.tapes.map(({ sha256, file }) => [sha256, file])), key);
    const notice: SweepNotice = {
      id: queueIn(out),
      name: plan.bundle.configFile,
      version: plan.bundle.version,
      bundle: plan.inputs,
      tapes: plan.bundle.tapes,
      serve: tapes.url,
      budgetMs: budget,
      points: plan.search.tpe?.count ?? plan.search.points.length,
      since: Date.now(),
    };
    const submitter = new Submitter(link, key, notice);
    await submitter.announce(plan.text);
    return {
      play: (tasks, ended) =>
        submitter.play(tasks, {
          note: (text) => progress.note(text),
          ended: (task, outcome) => {
            ended(task, outcome);
            progress.ended(task.key, problemOf(outcome) !== '');
          },
        }),
      end: async () => {
        await submitter.withdraw();
        rmSync(join(out, QUEUE), { force: true });
      },
      close: () => {
        tapes.close();
        void submitter.close();
        link.close();
      },
    };
  } catch (error) {
    link.close();
    throw error;
  }
}

function queueIn(out: string): string {
  const file = join(out, QUEUE);
  try {
    if (existsSync(file)) {
      const id = readFileSync(file, 'utf8').trim();
      if (/^[0-9a-f]{12}$/.test(id)) return id;
    }
    const id = newSweepId();
    writeFileSync(file, id);
    return id;
  } catch (error) {
    throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${file} cannot be used (${messageOf(error)})`);
  }
}
