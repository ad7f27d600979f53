// Final scores, for the settlement of a backtest.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { keyToldTwice } from '../config/index.ts';
import type { FinalScore, GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';

const points = z.int().min(0);
const scoresSchema = z.record(z.string(), z.strictObject({ home: points, away: points }));

/** @throws OddsmakerError RESULTS_INVALID */
export function readScores(file: string): ReadonlyMap<GameId, FinalScore> {
  const fail = (problem: string): OddsmakerError =>
    new OddsmakerError('RESULTS_INVALID', `${file}: ${problem}`);
  let text: string;
  let json: unknown;
  try {
    text = readFileSync(file, 'utf8');
    json = JSON.parse(text);
  } catch (error) {
    throw fail(error instanceof SyntaxError ? `not JSON: ${error.message}` : 'the file cannot be read');
  }
  const read = scoresSchema.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw fail(
      `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}; expected {"<gameId>": {"home": 101, "away": 97}}`,
    );
  }
  const line = keyToldTwice(text);
  if (line !== undefined) throw new OddsmakerError('RESULTS_INVALID', `${file}:${line}: a key is told twice`);
  return new Map(Object.entries(read.data) as [GameId, FinalScore][]);
}
