// Makes a folder and those above it, for their own user alone: what a run did is nobody else's business. Not by `mkdir` with `recursive`: that never ends where a file system says of a new
// folder that it does not exist, as /proc does.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCodeOf } from '../domain/index.ts';

const PRIVATE = { mode: 0o700 };

/** @throws the error of the file system */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const one of missing.reverse()) {
    try {
      mkdirSync(one, PRIVATE);
    } catch (error) {
      // somebody else was faster
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
  // a file has this name: let the file system say so
  if (missing.length === 0) mkdirSync(path, { recursive: true, ...PRIVATE });
}
