// Lists the runs with journals in a folder, by file name.
import { readdirSync } from 'node:fs';
import { partsIn } from './journal-parts.ts';

/** Ids of all runs with journals in a folder, of every account. Undefined when the folder cannot be read. */
export function runsIn(folder: string): readonly string[] | undefined {
  try {
    const names = [...partsIn(readdirSync(folder), folder).keys()];
    return names.map((name) => name.slice(name.lastIndexOf('-') + 1));
  } catch {
    return undefined;
  }
}
