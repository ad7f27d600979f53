// The output folder of a sweep: the lock while the sweep runs, the settings that must not change when it is
// resumed, and the files at the end.
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../domain/index.ts';
import { prepareOut, writeOut } from '../backtest/index.ts';

export const SWEEP = 'sweep.json';
export const SWEEP_FILES = [SWEEP, 'points.csv', 'points.ndjson', 'heatmap.svg', 'front.svg', 'timing.json'] as const;
const LOCK = '.lock';

export type Settings = Readonly<Record<string, unknown>>;

export type SweepFolder = {
  /** Releases the lock: another sweep may use the folder. */
  readonly leave: () => void;
};

/**
 * Takes a folder for this sweep. @throws OddsmakerError OUT_UNWRITABLE when it is not empty and the sweep
 * is not resumed, or another sweep uses it; SWEEP_CHANGED when it holds a sweep with other inputs
 */
export function takeFolder(out: string, settings: Settings, isResumed: boolean): SweepFolder {
  prepareOut(out, SWEEP_FILES);
  const entries = readdirSync(out).filter((name) => name !== LOCK);
  if (!isResumed && entries.length > 0)
    throw new OddsmakerError(
      'OUT_UNWRITABLE',
      existsSync(join(out, SWEEP))
        ? `--out ${out}: it already holds a sweep: continue it with --resume, or name another folder`
        : `--out ${out}: this folder is not empty: name another one`,
    );
  const lock = join(out, LOCK);
  acquireLock(out, lock);
  const leave = (): void => rmSync(lock, { force: true });
  process.once('exit', leave);
  try {
    const begun = readSettings(out);
    if (begun === undefined) writeSettings(out, settings);
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

function acquireLock(out: string, lock: string): void {
  try {
    for (;;) if (tryLock(out, lock)) return;
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${lock} cannot be written (${messageOf(error)})`);
  }
}

/** Tries to create the lock. False when a stale lock was removed: the caller tries again. */
function tryLock(out: string, lock: string): boolean {
  const here = placeHere();
  try {
    writeFileSync(lock, `${process.pid} ${here}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  const holder = readLock(lock);
  if (holder === undefined) return false;
  const [, pid = '', place = here] = /^(\d+)(?: (.+))?$/.exec(holder) ?? [];
  // a process id of another machine or container says nothing here
  if (place !== here || isAlive(Number(pid)))
    throw new OddsmakerError(
      'OUT_UNWRITABLE',
      `--out ${out}: another sweep (process ${pid}${place === here ? '' : ` of ${printable(place)}`}) uses this folder; if none does, remove ${lock}`,
    );
  rmSync(lock, { force: true });
  return false;
}

function readLock(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8').trim();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where a process id is valid: the machine, and on Linux its process namespace. */
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

/** Writes the settings before anything is played, so that a resumed sweep can compare them. */
function writeSettings(out: string, settings: Settings): void {
  writeOut(out, { [SWEEP]: jsonText({ schema: 1, state: 'running', settings }) });
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function readSettings(out: string): Settings | undefined {
  const file = join(out, SWEEP);
  if (!existsSync(file)) return undefined;
  try {
    const { settings } = JSON.parse(readFileSync(file, 'utf8')) as { readonly settings?: Settings };
    if (typeof settings === 'object' && (settings as unknown) !== null && !Array.isArray(settings)) return settings;
  } catch {
    // the error follows below
  }
  throw new OddsmakerError('SWEEP_CHANGED', `${file}: this is not a file of a sweep: name another --out`);
}

/** The settings that differ, by their names, each with how it differs. */
export function changesOf(begun: Settings, now: Settings): ReadonlyMap<string, string> {
  const keys = [...new Set([...Object.keys(begun), ...Object.keys(now)])];
  // compared as JSON reads it back
  const plain = JSON.parse(JSON.stringify(now)) as Settings;
  return new Map(
    keys.flatMap((key) =>
      isDeepStrictEqual(begun[key], plain[key]) ? [] : [[key, changeText(key, begun[key], plain[key])] as const],
    ),
  );
}

function checkSame(out: string, begun: Settings, now: Settings): void {
  const changes = [...changesOf(begun, now).values()];
  if (changes.length === 0) return;
  throw new OddsmakerError(
    'SWEEP_CHANGED',
    `--resume ${out}: the sweep began with other inputs, and its points cannot be compared with new ones: ${changes.join('; ')}`,
  );
}

const SHORT = 60;

function changeText(key: string, before: unknown, now: unknown): string {
  const [a = '', b = ''] = [before, now].map((value) => (value === undefined ? 'nothing' : JSON.stringify(value)));
  if (a.length <= SHORT && b.length <= SHORT) return `${key} was ${a}, and is ${b}`;
  if (Array.isArray(before) && Array.isArray(now)) {
    const changed = before.findIndex((entry, index) => !isDeepStrictEqual(entry, now[index]));
    const which: unknown =
      (changed >= 0 ? (now as readonly unknown[])[changed] : (now as readonly unknown[])[before.length]) ??
      (before as readonly unknown[])[changed];
    const { file, name } = (which ?? {}) as { readonly file?: string; readonly name?: string };
    return `${key}: ${file ?? name ?? JSON.stringify(which).slice(0, SHORT)} was changed, added or removed`;
  }
  return `${key} was changed`;
}
