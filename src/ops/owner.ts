// Identifies the process that wrote a file, and checks whether it still lives. A pid may be reused by another
// process, or belong to a zombie, so the kernel's start time is stored with it where available (Linux).
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from '../domain/index.ts';
import type { JsonObject } from './run-files.ts';
import { readObject } from './run-files.ts';

export type Owner = {
  readonly pid: number;
  readonly host: string;
  /** Start of the process in kernel ticks. Null: the system does not provide it. */
  readonly ticks: string | null;
};

export const thisProcess = (): Owner => ({
  pid: process.pid,
  host: hostname(),
  ticks: statOf(process.pid)?.ticks ?? null,
});

/** Fields 3 and 22 of /proc/<pid>/stat, counted behind the name, which may hold anything. */
function statOf(pid: number): { readonly state: string; readonly ticks: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', ticks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * True when the process lives. Undefined: it cannot be known, since the process is on another machine or in a
 * container.
 */
export function isAlive(owner: Owner): boolean | undefined {
  if (owner.host !== hostname()) return undefined;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, under another user
    if (systemCodeOf(error) !== 'EPERM') return false;
  }
  const stat = statOf(owner.pid);
  if (stat === undefined) return true;
  return stat.state !== 'Z' && stat.state !== 'X' && (owner.ticks === null || owner.ticks === stat.ticks);
}

export function parseOwner(object: JsonObject): Owner | undefined {
  const { pid, host, ticks } = object;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof host !== 'string') return undefined;
  return { pid, host, ticks: typeof ticks === 'string' ? ticks : null };
}

/** The living process that owns this file. Undefined: there is none, or it is dead. */
export function livingOwner(file: string): Owner | undefined {
  const object = readObject(file);
  const owner = object === undefined || object === null ? undefined : parseOwner(object);
  return owner === undefined || isAlive(owner) === false ? undefined : owner;
}

export const isSameOwner = (a: Owner, b: Owner): boolean => a.pid === b.pid && a.host === b.host && a.ticks === b.ticks;
