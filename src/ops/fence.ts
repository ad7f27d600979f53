// The fence: a file that forbids an account's bot to place anything. The guard raises it, `ctl resume` lifts it, and
// nothing else does: a bot that starts or wakes behind one sends no place. What cannot be read counts as a fence.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { overwrite, readObject, writeWhole } from './run-files.ts';

export type Fence = {
  readonly id: string;
  readonly when: string;
  readonly why: string;
  /** The pid of the guard. */
  readonly by: number;
  /** The bot hung: it waits for an operator. False: it was dead; what does not say so counts as hung. */
  readonly hung: boolean;
  /** When the guard had seen the account empty, and nothing could land any more, Unix ms. */
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
  const object = readObject(file) ?? {};
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

/** On disk when this returns, folder entry included. A fence that stands already is left as it is. */
export function raiseFence(file: string, why: string, hung = true): Fence {
  const standing = readFence(file);
  if (standing !== undefined) return standing;
  const fence = {
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

export function liftFence(file: string): void {
  rmSync(file, { force: true });
}
