// `backtest --watch`: plays again whenever a file that the backtest reads has changed, in the process that is
// warm from the run before, and says what the change made of the result.
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { moneyText, OddsmakerError } from '../domain/index.ts';

/** The figures of a run that are compared with those of the run before. */
export type WatchedRun = {
  readonly scenario: string;
  readonly fills: number;
  /** Dollars: settled where the backtest has results, else marked. */
  readonly pnl: number;
  /** Dollars. Null: no fill has a close. */
  readonly clv: number | null;
  /** Dollars, 0 or below. */
  readonly worst: number;
};

const POLL_MS = 50;
/** Files beside a watched one that a strategy may import. */
const CODE = /\.[cm]?[jt]s$/;

/**
 * Waits for a change and plays, again and again until the process ends. A run that fails says so, and the
 * next change tries again.
 * @param play one run; undefined when its result cannot be trusted, which it has reported
 * @param first the run that the first change is compared with
 * @param files the files that the newest run read; all code in their folders is watched as well
 * @param loaded the state of these files (`stateOf`) when the newest run had loaded them
 */
export async function playOnChange(
  play: () => Promise<WatchedRun | undefined>,
  first: WatchedRun | undefined,
  files: () => readonly string[],
  loaded: () => string,
): Promise<never> {
  let former = first;
  let before = loaded();
  process.stdout.write('watching the strategies, the configuration and the tapes; Ctrl-C ends it\n');
  for (;;) {
    before = await changed(before, files);
    const began = performance.now();
    const run = await played(play);
    if (run === undefined) continue;
    // what changed during the run is played next
    before = loaded();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`${changeText(run, former)}, ${seconds} s\n`);
    former = run;
  }
}

async function played(play: () => Promise<WatchedRun | undefined>): Promise<WatchedRun | undefined> {
  try {
    return await play();
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    process.stderr.write(`oddsmaker: ${error.message}\n`);
    return undefined;
  }
}

/**
 * Returns the state of the files when it differs from `before` and stays for a moment: editors write in
 * several steps.
 */
async function changed(before: string, files: () => readonly string[]): Promise<string> {
  for (let seen = before; ;) {
    await sleep(POLL_MS);
    const now = stateOf(files());
    if (now !== before && now === seen) return now;
    seen = now;
  }
}

/** The times and sizes of files and of the code beside them, as text. */
export function stateOf(files: readonly string[]): string {
  const folders = new Set(files.filter((file) => CODE.test(file)).map((file) => dirname(file)));
  const all = new Set([...files, ...[...folders].flatMap(codeIn)]);
  return [...all]
    .sort()
    .map((file) => {
      const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
      return `${file} ${mtimeMs} ${size}`;
    })
    .join('\n');
}

function codeIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => CODE.test(name))
      .map((name) => join(folder, name));
  } catch {
    // the folder is being replaced
    return [];
  }
}

/** One line: the figures of a run, each with its difference to the run before. */
export function changeText(run: WatchedRun, former: WatchedRun | undefined): string {
  const comparable = former?.scenario === run.scenario ? former : undefined;
  const money = (name: string, value: number | null, before: number | null | undefined): string => {
    if (value === null) return `${name} not known`;
    const difference = before === undefined || before === null ? undefined : Math.round((value - before) * 100) / 100;
    return `${name} ${moneyText(value)}${difference === undefined ? '' : ` (${signed(difference, moneyText)})`}`;
  };
  const fills =
    comparable === undefined ? '' : ` (${signed(run.fills - comparable.fills, (count) => count.toLocaleString('en'))})`;
  return [
    `${run.scenario}: ${run.fills.toLocaleString('en')} fills${fills}`,
    money('P&L', run.pnl, comparable?.pnl),
    money('CLV', run.clv, comparable?.clv),
    money('worst', run.worst, comparable?.worst),
  ].join(', ');
}

const signed = (difference: number, text: (amount: number) => string): string =>
  difference === 0 ? 'same' : `${difference > 0 ? '+' : ''}${text(difference)}`;
