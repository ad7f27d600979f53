// Halts the account's bot on this machine, before another program cancels its orders: over the control
// socket, or, if that does not answer, by raising a fence, behind which the bot places nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../domain/index.ts';
import type { Log, RunFiles } from '../ops/index.ts';
import { isAlive, isSameOwner, raiseFence, readBeat, readLease } from '../ops/index.ts';
import { ask, filesOf } from './running-bot.ts';

/** How long the bot may take to answer, ms. */
const ANSWER_MS = 2000;
const LOOK_EVERY_MS = 100;
/** How long the bot may take to acknowledge a fence, ms. A healthy bot writes a heartbeat every second. */
const FENCED_WITHIN_MS = 30_000;

export type HaltedBot = {
  /** The outcome for the operator. Undefined when no bot runs. */
  readonly text?: string;
  /** Why the bot may still place orders. Undefined when it certainly does not. */
  readonly problem?: string;
};

type Holder = NonNullable<ReturnType<typeof readLease>>;

/** Halts the bot that runs on this configuration file. Never rejects. */
export async function haltBot(file: string, log: Log, signal: AbortSignal): Promise<HaltedBot> {
  let files: RunFiles;
  try {
    files = filesOf(file);
  } catch (error) {
    // the sections that name its files may be broken
    log.warn('cannot find out whether a bot of the account runs', { problem: messageOf(error) });
    return { problem: `cannot find out whether a bot of the account runs: ${messageOf(error)}` };
  }
  const lease = readLease(files.lease);
  if (lease === undefined) return {};
  if (lease === null) return fenced(files, undefined, `the lease ${files.lease} cannot be read`, log, signal);
  if (isAlive(lease) === false) return {};
  const who = `a bot of the account runs (pid ${lease.pid} on ${lease.host}, since ${lease.start})`;
  log.warn(`${who}: halting it`, { pid: lease.pid, host: lease.host, since: lease.start });
  try {
    const reply = await ask(file, files, { command: 'halt', reason: 'panic' }, ANSWER_MS);
    if (reply.ok) return { text: `${who}: halted until \`oddsmaker ctl ${file} resume\`` };
    return await fenced(files, lease, `${who} and refuses to halt: ${reply.error}`, log, signal);
  } catch (error) {
    return fenced(files, lease, `${who} and does not answer: ${messageOf(error)}`, log, signal);
  }
}

/**
 * Raises a fence, as the guard does for a bot that hangs, and waits until the bot acknowledges it or dies.
 */
async function fenced(
  files: RunFiles,
  bot: Holder | undefined,
  why: string,
  log: Log,
  signal: AbortSignal,
): Promise<HaltedBot> {
  try {
    const { id } = raiseFence(files.fence, 'panic: the bot did not confirm the halt');
    log.warn('raised a fence: the bot places nothing behind it', { fence: files.fence, why });
    if (bot === undefined) return { text: `${why}; a fence stands`, problem: 'the owner of the lease is unknown' };
    for (const giveUpAt = performance.now() + FENCED_WITHIN_MS; performance.now() < giveUpAt;) {
      if (isAlive(bot) === false) return { text: `${why}; the process has ended, and a fence stands` };
      const beat = readBeat(files.heartbeat);
      if (beat !== undefined && isSameOwner(beat, bot) && beat.fence === id)
        return { text: `${why}; it obeys the fence` };
      if (signal.aborted) break;
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return {
      text: `${why}; a fence stands`,
      problem: `the bot (pid ${bot.pid}) has not acknowledged the fence`,
    };
  } catch (error) {
    return { text: why, problem: `cannot raise a fence: ${messageOf(error)}` };
  }
}
