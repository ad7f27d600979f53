// The fence: a file that forbids an account's bot to place anything. The guard raises it, `ctl resume` lifts it, and
// nothing else does: a bot that starts or wakes behind one sends no place. What cannot be read counts as a fence.
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
  /** The bot hung: it waits for an operator. False: it was dead; what does not say so counts as hung. */
  readonly hung: boolean;
  /** When the guard had seen the account empty behind it, Unix ms; undefined: that is not known. */
  readonly cleared: number | undefined;
};

/** Cheap enough for every place. */
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

/** What does not say so counts as the worse. */
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

/** One that is kept elsewhere stands here too. */
export function putFence(file: string, fence: Fence): void {
  writeWhole(file, fence, true);
}

const spareOf = (file: string): string => `${file}.spare`;

/** Takes the room for a fence, so that one can also be raised when the disk is full. */
export function reserveFence(file: string): void {
  if (statSync(spareOf(file), { throwIfNoEntry: false }) === undefined) writeWhole(spareOf(file), {});
}

export function releaseReserve(file: string): void {
  try {
    rmSync(spareOf(file), { force: true });
  } catch {
    // there was no place for one
  }
}

/**
 * On disk when this returns, folder entry included. A fence that stands already stays the same one; it only forgets that the
 * account was empty, and that its bot was no worse than dead.
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
      // what kept it from its own place is what must be mended
      throw error;
    }
  }
  try {
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // some systems cannot sync a folder; the fence stands all the same
  }
  return fence;
}

/**
 * The account was seen empty behind this fence, or shows an order again (undefined). Written where it stands: a fence that was
 * lifted meanwhile does not come back. Throws where the disk refuses.
 */
export function markCleared(file: string, id: string, cleared: number | undefined): void {
  const fence = readFence(file);
  if (fence === undefined || fence.id !== id || fence.cleared === cleared) return;
  overwrite(file, { ...fence, cleared }, true);
}

export function liftFence(file: string): void {
  rmSync(file, { force: true });
}
