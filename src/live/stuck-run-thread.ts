// The thread that looks on (stuck-run.ts). Nothing here rejects or throws: whatever fails is tried again.
import { printableLines, takeValues, withoutTaken } from '../domain/index.ts';
import { writeSync } from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { AlertMessage, Log } from '../ops/index.ts';
import { deliverOnce, shownTarget } from '../ops/index.ts';
// loaded before it is needed: a strategy that holds the main thread leaves little of a small machine
import { AccountDoor } from '../guard/index.ts';
import { PausedMain } from './stuck-line.ts';
import type { StuckEnd, WatchedRun } from './stuck-run.ts';
import { END_RUN, ENDING, NAME_STRATEGY, TURNS } from './stuck-run.ts';

const { turns, deadlineMs, exchange, alerts, taken } = workerData as WatchedRun;
takeValues(taken);
const LOOK_MS = deadlineMs / 40;
/** Looks of this thread, not time: a machine that slept is no loop that stands still. */
const STILL_LOOKS = 20;
const TRIED_AGAIN_AFTER = 10;
const SOON_MS = 5;
const ALERT_MS = 3000;
const LIST_EVERY_MS = Math.min(1000, deadlineMs / 8);

let known = -1;
let looks = 0;
let busy = false;

// also keeps this thread alive while it waits for the main one
setInterval(() => {
  const now = Atomics.load(turns, TURNS);
  looks = now === known ? looks + 1 : 0;
  known = now;
  // whoever debugs it has stopped it
  if (looks < STILL_LOOKS || busy || debuggerUrl() !== undefined) return;
  busy = true;
  void act()
    .catch((error: unknown) =>
      say('error', 'the loop stands still, and that could not be looked into', { problem: String(error) }),
    )
    .finally(() => {
      busy = false;
      looks = Math.min(looks, TRIED_AGAIN_AFTER);
    });
}, LOOK_MS);

/** The main thread carries out what it was told. */
async function isEnding(): Promise<void> {
  while (Atomics.load(turns, ENDING) === 0) await sleep(SOON_MS);
}

const isStill = (): boolean => looks > 0;

async function act(): Promise<void> {
  const main = await PausedMain.pause();
  const at = main.line;
  const strategy = await main.evaluate(`globalThis[Symbol.for('${NAME_STRATEGY}')]?.()`);
  await main.resume();
  // not a strategy's line, as while a slow machine compiles: later again; for a process that hangs there is the guard
  if (at === undefined || typeof strategy !== 'string' || !isStill()) return;
  const text = `it has not returned for ${((STILL_LOOKS * LOOK_MS) / 1000).toFixed(1)} s, half of guard.deadline (${at.file}:${at.line})`;
  say('error', 'a strategy never returns: cancelling everything on the account', {
    alert: 'STRATEGY_STUCK',
    code: 'STRATEGY_STUCK',
    strategy,
    detail: text,
    file: at.file,
    line: at.line,
    function: at.name,
  });
  const isEmpty = await clear();
  if (!isStill()) {
    say('warn', 'the strategy returned after all: the run goes on', { strategy });
    return;
  }
  await alertAll(strategy, text, isEmpty);
  await end({ strategy, at, text, open: isEmpty ? 0 : undefined });
}

/** The main thread can tell nobody any more. */
async function alertAll(strategy: string, text: string, isEmpty: boolean): Promise<void> {
  const message: AlertMessage = {
    alert: 'STRATEGY_STUCK',
    level: 'error',
    state: 'firing',
    account: exchange.username ?? '',
    at: new Date().toISOString(),
    text: `strategy ${strategy} never returns, and the run is over: ${text}; ${isEmpty ? 'nothing is open' : 'ORDERS MAY BE OPEN'}`,
    fields: { strategy },
  };
  await Promise.all(
    alerts.map(async (target) => {
      const problem = await deliverOnce(target, message, AbortSignal.timeout(ALERT_MS));
      if (problem !== undefined)
        say('error', 'an alert was lost', { code: 'ALERT_LOST', to: shownTarget(target), problem });
    }),
  );
}

/** True when two lists in a row show nothing open; false when the exchange does not say so in time, or the loop turns again. */
async function clear(): Promise<boolean> {
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
        say(isTaken ? 'info' : 'error', 'cancelAllOrders was sent', { answer: problem ?? 'taken' });
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

async function end(stuck: StuckEnd): Promise<void> {
  const main = await PausedMain.pause();
  // it returned in this moment
  if (main.line === undefined) await main.resume();
  else await main.leave(`globalThis[Symbol.for('${END_RUN}')](${JSON.stringify(stuck)})`, isEnding);
}

const say = (level: string, msg: string, fields: object): void => {
  try {
    const line = JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg });
    writeSync(2, `${printableLines(withoutTaken(line))}\n`);
  } catch {
    // nobody reads it
  }
};
const LOG: Log = {
  debug: () => undefined,
  info: (msg, fields = {}) => say('info', msg, fields),
  warn: (msg, fields = {}) => say('warn', msg, fields),
  error: (msg, fields = {}) => say('error', msg, fields),
};
