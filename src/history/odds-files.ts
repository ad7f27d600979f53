// Reads files of odds, documents and tables, and folders with such files.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { userFileText } from '../journal/index.ts';
import { OddsHistory } from '../signals/index.ts';
import { readUserTable } from '../table/index.ts';
import type { OddsTableSettings } from './odds-table.ts';
import { addOddsTable } from './odds-table.ts';

const NAMES = /\.(?:json|ndjson|jsonl|csv|tsv)(?:\.(?:gz|zst))?$/i;
const TABLE = /\.(?:csv|tsv)(?:\.(?:gz|zst))?$/i;

/**
 * The odds of all documents in these files and folders.
 * @returns the odds, and what cannot be read
 * @throws OddsmakerError ODDS_INVALID, TABLE_INVALID: a file cannot be read, or none has an event
 */
export async function readOddsHistory(
  paths: readonly string[],
  settings: OddsTableSettings,
): Promise<{ readonly history: OddsHistory; readonly faults: readonly string[] }> {
  const history = new OddsHistory(settings.assumedDelayMs);
  const left: string[] = [];
  for (const file of paths.flatMap(filesAt))
    if (TABLE.test(file)) left.push(...addOddsTable(history, await readUserTable(file), settings, file));
    else history.addText(await textOf(file), file);
  const faults = [...history.faults, ...left];
  if (history.documents === 0)
    throw new OddsmakerError(
      'ODDS_INVALID',
      `${paths.join(', ')}: no odds document: ${faults[0] ?? 'no file ends with .json, .ndjson, .jsonl or .csv'}`,
    );
  if (history.events.length === 0)
    throw new OddsmakerError(
      'ODDS_INVALID',
      `${paths.join(', ')}: no event: ${faults[0] ?? 'all documents are empty'}`,
    );
  return { history, faults };
}

/** The file of a path; of a folder all files of odds in it, by name. */
function filesAt(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new OddsmakerError('ODDS_INVALID', `${path}: there is no such file`);
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => NAMES.test(name))
    .sort()
    .map((name) => join(path, name));
}

async function textOf(file: string): Promise<string> {
  try {
    return await userFileText(file);
  } catch (error) {
    const why = systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new OddsmakerError('ODDS_INVALID', `${file} cannot be read: ${why}`, { cause: error });
  }
}
