// The fence: a file that forbids an account's bot to place anything. The guard raises it, and `ctl resume`
// lifts it; a fence for a dead bot is lifted once the guard has cleared the account. A bot that starts or
// wakes behind one sends no place. An unreadable file counts as a fence.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JsonObject } from './run-files.ts';
import { overwrite, readObject, writeWhole } from './run-files.ts';

export type Fence = {
  readonly id: string;
  readonly when: string;
  readonly why: string;
  /** The pid of the guard. */
  readonly by: number;
  /**
   * True: the bot hung, and the fence waits for an operator. False: the bot was dead. An unclear record
   * counts as hung.
   */
  readonly hung: boolean;
  /** When the guard saw the account empty behind it, Unix ms. Undefined: not known. */
  readonly cleared: number | undefined;
};

/** True when a fence stands. It is cheap enough to call before every place. */
export function isFenced(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

export function readFence(file: string): Fence | undefined {
  if (!isFenced(file)) return undefined;
  return fenceIn(readObject(file) ?? {});
}

/** Parses a fence. A missing field counts as the worse value. */
export function fenceIn(object: JsonObject): Fence {
  const text = (key: string): string => (typeof object[key] === 'string' ? object[key] : 'unknown');
  return {
    id: text('id'),
    when: text('when'),
    why: text('why'),
    by: typeof object['by'] === 'number' ? object['by'] : 0,
    hung: object['hung'] !== false,
    cleared: typeof object['cleared'] === 'number' ? object['cleared'] : undefined,
  };
}

/** Writes a fence that is kept in another place. */
export function putFence(file: string, fence: Fence): void {
  writeWhole(file, fence, true);
}

const spareOf = (file: string): string => `${file}.spare`;

/** Reserves disk space for a fence, so that one can be raised when the disk is full. */
export function reserveFence(file: string): void {
  if (statSync(spareOf(file), { throwIfNoEntry: false }) === undefined) writeWhole(spareOf(file), {});
}

export function releaseReserve(file: string): void {
  try {
    rmSync(spareOf(file), { force: true });
  } catch {
    // the folder had no place for one
  }
}

/**
 * Raises a fence; it is on disk when this returns, folder entry included. A fence that stands already keeps
 * its id, but is no longer marked as cleared, and becomes `hung` if the new one is.
 */
export function raiseFence(file: string, why: string, hung = true): Fence {
  const standing = readFence(file);
  if (standing !== undefined) {
    const now = { ...standing, hung: standing.hung || hung, cleared: undefined };
    if (now.hung !== standing.hung || standing.cleared !== undefined) overwrite(file, now, true);
    return now;
  }
  const fence: Fence = {
    id: randomBytes(6).toString('hex'),
    when: new Date().toISOString(),
    why,
    by: process.pid,
    hung,
    cleared: undefined,
  };
  try {
    writeWhole(file, fence, true);
  } catch (error) {
    try {
      overwrite(spareOf(file), fence, true);
      renameSync(spareOf(file), file);
    } catch {
      // the first error names what must be repaired
      throw error;
    }
  }
  try {
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // some systems cannot sync a folder; the fence stands anyway
  }
  return fence;
}

/**
 * Marks that the account was seen empty behind this fence (Unix ms), or shows an order again (undefined). It
 * overwrites the file in place: a fence that was lifted meanwhile does not come back. Throws the errors of
 * the disk.
 */
export function markCleared(file: string, id: string, cleared: number | undefined): void {
  const fence = readFence(file);
  if (fence === undefined || fence.id !== id || fence.cleared === cleared) return;
  overwrite(file, { ...fence, cleared }, true);
}

export function liftFence(file: string): void {
  rmSync(file, { force: true });
}
