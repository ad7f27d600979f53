// The watching thread of stuck-run.ts. Nothing here rejects or throws: a failed attempt is tried again.
import { printableLines, noteSecrets, redacted } from '../domain/index.ts';
import { writeSync } from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { AlertMessage, Log } from '../ops/index.ts';
import { deliverOnce, shownTarget } from '../ops/index.ts';
// imported before it is needed: a strategy that blocks the main thread leaves little CPU on a small machine
import { AccountDoor } from '../guard/index.ts';
import { PausedMain } from './stuck-line.ts';
import type { StuckEnd, WatchedRun } from './stuck-run.ts';
import { END_RUN, ENDING, NAME_STRATEGY, TURNS } from './stuck-run.ts';

const { turns, deadlineMs, exchange, alerts, taken } = workerData as WatchedRun;
noteSecrets(taken);
const CHECK_MS = deadlineMs / 40;
/** Checks without a turn of the loop, not time: after the machine slept, the loop has not stalled. */
const STILL_CHECKS = 20;
const TRIED_AGAIN_AFTER = 10;
const SOON_MS = 5;
const ALERT_MS = 3000;
const LIST_EVERY_MS = Math.min(1000, deadlineMs / 8);

let known = -1;
let checks = 0;
let busy = false;

// the interval also keeps this thread alive while it waits for the main thread
setInterval(() => {
  const now = Atomics.load(turns, TURNS);
  checks = now === known ? checks + 1 : 0;
  known = now;
  // a debugger may have paused the main thread
  if (checks < STILL_CHECKS || busy || debuggerUrl() !== undefined) return;
  busy = true;
  void handleStuck()
    .catch((error: unknown) =>
      writeLog('error', 'the event loop stands still, and its cause could not be examined', { problem: String(error) }),
    )
    .finally(() => {
      busy = false;
      checks = Math.min(checks, TRIED_AGAIN_AFTER);
    });
}, CHECK_MS);

/** Resolves when the main thread has begun to end the run. */
async function isEnding(): Promise<void> {
  while (Atomics.load(turns, ENDING) === 0) await sleep(SOON_MS);
}

const isStill = (): boolean => checks > 0;

async function handleStuck(): Promise<void> {
  const main = await PausedMain.pause();
  const place = main.line;
  const strategy = await main.evaluate(`globalThis[Symbol.for('${NAME_STRATEGY}')]?.()`);
  await main.resume();
  // not a line of a strategy, for example while a slow machine compiles: tried again later. The guard covers
  // a process that hangs outside of strategies
  if (place === undefined || typeof strategy !== 'string' || !isStill()) return;
  const text = `it has not returned for ${((STILL_CHECKS * CHECK_MS) / 1000).toFixed(1)} s, half of guard.deadline (${place.file}:${place.line})`;
  writeLog('error', 'a strategy never returns: cancelling everything on the account', {
    alert: 'STRATEGY_STUCK',
    code: 'STRATEGY_STUCK',
    strategy,
    detail: text,
    file: place.file,
    line: place.line,
    function: place.name,
  });
  const isEmpty = await cancelUntilEmpty();
  if (!isStill()) {
    writeLog('warn', 'the strategy returned after all: the run continues', { strategy });
    return;
  }
  await alertAll(strategy, text, isEmpty);
  await endRun({ strategy, at: place, text, open: isEmpty ? 0 : undefined });
}

/** Sends the alert from this thread, since the main thread is blocked. */
async function alertAll(strategy: string, text: string, isEmpty: boolean): Promise<void> {
  const message: AlertMessage = {
    alert: 'STRATEGY_STUCK',
    level: 'error',
    state: 'firing',
    account: exchange.username ?? '',
    at: new Date().toISOString(),
    text: `strategy ${strategy} never returns, and the run ends: ${text}; ${isEmpty ? 'nothing is open' : 'ORDERS MAY BE OPEN'}`,
    fields: { strategy },
  };
  await Promise.all(
    alerts.map(async (target) => {
      const problem = await deliverOnce(target, message, AbortSignal.timeout(ALERT_MS));
      if (problem !== undefined)
        writeLog('error', 'an alert was lost', { code: 'ALERT_LOST', to: shownTarget(target), problem });
    }),
  );
}

/**
 * Cancels all orders of the account. True when two lists in a row show nothing open. False when that is not
 * confirmed in time, or the loop turns again.
 */
async function cancelUntilEmpty(): Promise<boolean> {
  const { requestTimeout, startTimeout } = exchange;
  const quick = { ...exchange, startTimeout: Math.min(startTimeout, deadlineMs), requestTimeout };
  const door = new AccountDoor('', quick, LOG);
  try {
    let empty = 0;
    let isTaken = false;
    for (const giveUpAt = performance.now() + 2 * deadlineMs; performance.now() < giveUpAt && isStill();) {
      if (!isTaken) {
        const problem = await door.cancelAll();
        isTaken = problem === undefined;
        writeLog(isTaken ? 'info' : 'error', 'cancelAllOrders was sent', { answer: problem ?? 'taken' });
      }
      const open = await door.countOpen();
      empty = open === 0 ? empty + 1 : 0;
      if (empty === 2) return true;
      await sleep(LIST_EVERY_MS);
    }
    return false;
  } finally {
    door.close();
  }
}

async function endRun(stuck: StuckEnd): Promise<void> {
  const main = await PausedMain.pause();
  // the strategy returned just now
  if (main.line === undefined) await main.resume();
  else await main.leave(`globalThis[Symbol.for('${END_RUN}')](${JSON.stringify(stuck)})`, isEnding);
}

const writeLog = (level: string, msg: string, fields: object): void => {
  try {
    const line = JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg });
    writeSync(2, `${printableLines(redacted(line))}\n`);
  } catch {
    // stderr is closed
  }
};
const LOG: Log = {
  debug: () => undefined,
  info: (msg, fields = {}) => writeLog('info', msg, fields),
  warn: (msg, fields = {}) => writeLog('warn', msg, fields),
  error: (msg, fields = {}) => writeLog('error', msg, fields),
};
