// Makes a folder and its parents, readable by their owner alone. It does not use `mkdir` with `recursive`,
// which never returns where a file system denies that a new folder exists, as /proc does.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCodeOf } from '../domain/index.ts';

const PRIVATE = { mode: 0o700 };

/** Makes the folder unless it exists. @throws the error of the file system */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, PRIVATE);
    } catch (error) {
      // another process made it first
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
  // if a file has this name, the file system reports it
  if (missing.length === 0) mkdirSync(path, { recursive: true, ...PRIVATE });
}
