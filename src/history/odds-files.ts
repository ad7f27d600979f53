// Reads files of odds documents, and folders with such files.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError, systemCodeOf, userText } from '../domain/index.ts';
import { userChunks } from '../journal/index.ts';
import { OddsHistory } from '../signals/index.ts';

const NAMES = /\.(?:json|ndjson|jsonl)(?:\.(?:gz|zst))?$/;

/**
 * The odds of all documents in these files and folders.
 * @param assumedDelayMs as in OddsHistory
 * @throws OddsmakerError ODDS_INVALID: a file cannot be read, or none has a document
 */
export async function readOddsHistory(
  paths: readonly string[],
  assumedDelayMs: number | undefined,
): Promise<OddsHistory> {
  const history = new OddsHistory(assumedDelayMs);
  const files = paths.flatMap(filesAt);
  for (const file of files) history.addText(await textOf(file), file);
  if (history.documents === 0)
    throw new OddsmakerError(
      'ODDS_INVALID',
      `${paths.join(', ')}: no odds document: ${history.faults[0] ?? 'no file ends with .json, .ndjson or .jsonl'}`,
    );
  if (history.events.length === 0)
    throw new OddsmakerError(
      'ODDS_INVALID',
      `${paths.join(', ')}: no event: ${history.faults[0] ?? 'all documents are empty'}`,
    );
  return history;
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
    const chunks: Buffer[] = [];
    for await (const chunk of userChunks(file)) chunks.push(chunk);
    return userText(Buffer.concat(chunks));
  } catch (error) {
    const why = systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new OddsmakerError('ODDS_INVALID', `${file} cannot be read: ${why}`, { cause: error });
  }
}
