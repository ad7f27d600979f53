// Halts the bot of an account that lives on this machine, for whoever cancels behind its back: by its control socket, and where that
// does not answer by a fence, behind which it places nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../domain/index.ts';
import type { Log, RunFiles } from '../ops/index.ts';
import { isAlive, isSameOwner, raiseFence, readBeat, readLease } from '../ops/index.ts';
import { ask, filesOf } from './running-bot.ts';

/** How long the bot has for its answer, and for the acknowledgement of a fence. */
const ANSWER_MS = 2000;
const LOOK_EVERY_MS = 100;
/** A healthy bot writes a heartbeat every second. */
const FENCED_WITHIN_MS = 30_000;

export type HaltedBot = {
  /** What is said of it; undefined: there is none. */
  readonly text?: string;
  /** Why it is not certain that it places nothing more. */
  readonly problem?: string;
};

type Holder = NonNullable<ReturnType<typeof readLease>>;

/** Never rejects. */
export async function haltBot(file: string, log: Log, signal: AbortSignal): Promise<HaltedBot> {
  let files: RunFiles;
  try {
    files = filesOf(file);
  } catch (error) {
    // the sections that say where its files are may be broken
    log.warn('whether a bot of the account runs is not known', { problem: messageOf(error) });
    return { problem: `whether a bot of the account runs is not known: ${messageOf(error)}` };
  }
  const lease = readLease(files.lease);
  if (lease === undefined) return {};
  if (lease === null) return fenced(files, undefined, `the lease ${files.lease} cannot be read`, log, signal);
  if (isAlive(lease) === false) return {};
  const who = `a bot of the account runs (pid ${lease.pid} on ${lease.host}, since ${lease.start})`;
  log.warn(`${who}: it is told to halt`, { pid: lease.pid, host: lease.host, since: lease.start });
  try {
    const reply = await ask(file, files, { command: 'halt', reason: 'panic' }, ANSWER_MS);
    if (reply.ok) return { text: `${who}: it is halted, until \`oddsmaker ctl ${file} resume\`` };
    return await fenced(files, lease, `${who} and refuses to halt: ${reply.error}`, log, signal);
  } catch (error) {
    return fenced(files, lease, `${who} and does not answer: ${messageOf(error)}`, log, signal);
  }
}

/** As the guard does with one that hangs. */
async function fenced(
  files: RunFiles,
  bot: Holder | undefined,
  why: string,
  log: Log,
  signal: AbortSignal,
): Promise<HaltedBot> {
  try {
    const { id } = raiseFence(files.fence, 'panic: the bot did not say that it halts');
    log.warn('a fence is raised: behind it the bot places nothing', { fence: files.fence, why });
    if (bot === undefined) return { text: `${why}; a fence stands`, problem: 'whose bot it is cannot be known' };
    for (const giveUpAt = performance.now() + FENCED_WITHIN_MS; performance.now() < giveUpAt;) {
      if (isAlive(bot) === false) return { text: `${why}; it is dead by now, and a fence stands` };
      const beat = readBeat(files.heartbeat);
      if (beat !== undefined && isSameOwner(beat, bot) && beat.fence === id)
        return { text: `${why}; it obeys a fence` };
      if (signal.aborted) break;
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return {
      text: `${why}; a fence stands`,
      problem: `the bot (pid ${bot.pid}) has not acknowledged the fence`,
    };
  } catch (error) {
    return { text: why, problem: `no fence can be raised: ${messageOf(error)}` };
  }
}
