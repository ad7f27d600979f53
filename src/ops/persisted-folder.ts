// The values that strategies keep over restarts: a folder beside the journal, named after the account, with a
// file for each strategy and game. A file is written whole or not at all.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GameId, PersistedValue, StrategyId } from '../domain/index.ts';
import { canonicalJson, messageOf, systemCodeOf } from '../domain/index.ts';
import { digest, readObject, writeWhole } from './run-files.ts';

/** A value that was not set for this long is forgotten, ms. */
const KEEP_MS = 30 * 86_400_000;

const ENDING = '.json';

export class PersistedFolder {
  /** Values that former runs left. */
  readonly former: readonly PersistedValue[];
  readonly #folder: string;

  /**
   * Reads the folder and removes values that are too old.
   * @param now Unix ms
   * @param problem called for each file that is no such value; it stays
   */
  constructor(folder: string, now: number, problem: (text: string) => void) {
    this.#folder = folder;
    this.former = filesIn(folder, problem).flatMap((name) => {
      const file = join(folder, name);
      const read = valueIn(file);
      if (typeof read === 'string') {
        problem(`${file}: ${read}`);
        return [];
      }
      const { setAt, ...value } = read;
      if (now - setAt <= KEEP_MS) return [value];
      try {
        rmSync(file, { force: true });
      } catch (error) {
        problem(`${file}: it is too old, and cannot be removed: ${messageOf(error)}`);
      }
      return [];
    });
  }

  /** Writes a value that was set at `setAt`, Unix ms. @throws errors of the disk */
  keep({ strategy, game, value }: PersistedValue, setAt: number): void {
    if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
    writeWhole(join(this.#folder, nameOf(strategy, game)), { strategy, game, setAt, value });
  }
}

/** Ids may hold characters that file names cannot. */
const nameOf = (strategy: string, game: string): string => digest(JSON.stringify([strategy, game])) + ENDING;

function filesIn(folder: string, problem: (text: string) => void): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ENDING))
      .sort();
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') problem(`${folder}: ${messageOf(error)}`);
    return [];
  }
}

function valueIn(file: string): (PersistedValue & { readonly setAt: number }) | string {
  const object = readObject(file);
  const { strategy, game, setAt, value } = object ?? {};
  if (typeof strategy !== 'string' || typeof game !== 'string' || typeof setAt !== 'number' || value === undefined)
    return 'it is not a value of a strategy';
  try {
    canonicalJson(value);
  } catch (error) {
    return messageOf(error);
  }
  return { strategy: strategy as StrategyId, game: game as GameId, setAt, value };
}
