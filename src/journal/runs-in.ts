// The runs of which there are journals, by the names of their files.
import { readdirSync } from 'node:fs';
import { partsIn } from './journal-parts.ts';

/** Of every account that keeps its journals there; a folder that cannot be read has none. */
export function runsIn(folder: string): readonly string[] {
  try {
    const names = [...partsIn(readdirSync(folder), folder).keys()];
    return names.map((name) => name.slice(name.lastIndexOf('-') + 1));
  } catch {
    return [];
  }
}
