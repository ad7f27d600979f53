// The runs of which there are journals, by the names of their files.
import { readdirSync } from 'node:fs';
import { partsIn } from './journal-parts.ts';

/** Of every account that keeps its journals there; undefined: the folder cannot be read. */
export function runsIn(folder: string): readonly string[] | undefined {
  try {
    const names = [...partsIn(readdirSync(folder), folder).keys()];
    return names.map((name) => name.slice(name.lastIndexOf('-') + 1));
  } catch {
    return undefined;
  }
}
