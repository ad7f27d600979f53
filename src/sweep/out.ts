// The folder of a sweep: whose it is while the sweep runs, what must be the same for it to go on, and what is in it at the end.
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../domain/index.ts';
import { prepareOut, writeOut } from '../backtest/index.ts';

export const SWEEP = 'sweep.json';
export const SWEEP_FILES = [SWEEP, 'points.csv', 'points.ndjson', 'heatmap.svg', 'timing.json'] as const;
const LOCK = '.lock';

type Settings = Readonly<Record<string, unknown>>;

export type SweepFolder = {
  /** Another sweep may take it from now on. */
  readonly leave: () => void;
};

/**
 * Takes a folder for this sweep. @throws OddsmakerError OUT_UNWRITABLE when something is in it and nothing is to go on, or
 * another sweep writes there; SWEEP_CHANGED when what it holds is of other inputs
 */
export function takeFolder(out: string, settings: Settings, isResumed: boolean): SweepFolder {
  prepareOut(out, SWEEP_FILES);
  const entries = readdirSync(out).filter((name) => name !== LOCK);
  if (!isResumed && entries.length > 0)
    throw new OddsmakerError(
      'OUT_UNWRITABLE',
      existsSync(join(out, SWEEP))
        ? `--out ${out}: there is a sweep already: go on with it by --resume, or name another folder`
        : `--out ${out}: this folder is not empty: name another one`,
    );
  const lock = join(out, LOCK);
  lockIt(out, lock);
  const leave = (): void => rmSync(lock, { force: true });
  process.once('exit', leave);
  try {
    const begun = settingsIn(out);
    if (begun === undefined) writeBegun(out, settings);
    else checkSame(out, begun, settings);
  } catch (error) {
    leave();
    throw error;
  }
  return {
    leave: () => {
      process.off('exit', leave);
      leave();
    },
  };
}

function lockIt(out: string, lock: string): void {
  try {
    for (;;) if (wasLocked(out, lock)) return;
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${lock} cannot be written (${messageOf(error)})`);
  }
}

/** False: what was there is gone. */
function wasLocked(out: string, lock: string): boolean {
  const here = placeHere();
  try {
    writeFileSync(lock, `${process.pid} ${here}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  const told = lockIn(lock);
  if (told === undefined) return false;
  const [, pid = '', place = here] = /^(\d+)(?: (.+))?$/.exec(told) ?? [];
  // of another machine, or of a container, a number of a process says nothing here
  if (place !== here || isAlive(Number(pid)))
    throw new OddsmakerError(
      'OUT_UNWRITABLE',
      `--out ${out}: another sweep (process ${pid}${place === here ? '' : ` of ${printable(place)}`}) writes there; if none does, remove ${lock}`,
    );
  rmSync(lock, { force: true });
  return false;
}

function lockIn(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8').trim();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where the number of a process means something: the machine, and on Linux its namespace of processes. */
function placeHere(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** Before anything is played, so that what goes on knows what it goes on with. */
function writeBegun(out: string, settings: Settings): void {
  writeOut(out, { [SWEEP]: jsonText({ schema: 1, state: 'running', settings }) });
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function settingsIn(out: string): Settings | undefined {
  const file = join(out, SWEEP);
  if (!existsSync(file)) return undefined;
  try {
    const { settings } = JSON.parse(readFileSync(file, 'utf8')) as { readonly settings?: Settings };
    if (typeof settings === 'object' && (settings as unknown) !== null && !Array.isArray(settings)) return settings;
  } catch {
    // said below
  }
  throw new OddsmakerError('SWEEP_CHANGED', `${file}: this is not what a sweep writes: name another --out`);
}

function checkSame(out: string, begun: Settings, now: Settings): void {
  const keys = [...new Set([...Object.keys(begun), ...Object.keys(now)])];
  // as it is read back
  const plain = JSON.parse(JSON.stringify(now)) as Settings;
  const changes = keys.flatMap((key) =>
    isDeepStrictEqual(begun[key], plain[key]) ? [] : [changeText(key, begun[key], plain[key])],
  );
  if (changes.length === 0) return;
  throw new OddsmakerError(
    'SWEEP_CHANGED',
    `--resume ${out}: it began with other inputs, and points of both would not be of one sweep: ${changes.join('; ')}`,
  );
}

const SHORT = 60;

function changeText(key: string, before: unknown, now: unknown): string {
  const [a = '', b = ''] = [before, now].map((value) => (value === undefined ? 'nothing' : JSON.stringify(value)));
  if (a.length <= SHORT && b.length <= SHORT) return `${key} was ${a}, and is ${b}`;
  if (Array.isArray(before) && Array.isArray(now)) {
    const at = before.findIndex((one, index) => !isDeepStrictEqual(one, now[index]));
    const which: unknown =
      (at >= 0 ? (now as readonly unknown[])[at] : (now as readonly unknown[])[before.length]) ??
      (before as readonly unknown[])[at];
    const { file, name } = (which ?? {}) as { readonly file?: string; readonly name?: string };
    return `${key}: ${file ?? name ?? JSON.stringify(which).slice(0, SHORT)} was changed, added or taken away`;
  }
  return `${key} was changed`;
}
