// Final scores, for the settlement of a backtest.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { FinalScore, GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';

const scoresSchema = z.record(
  z.string(),
  z.strictObject({ home: z.number().min(0), away: z.number().min(0) }),
);

/** @throws OddsmakerError RESULTS_INVALID */
export function readScores(file: string): ReadonlyMap<GameId, FinalScore> {
  const fail = (problem: string): OddsmakerError =>
    new OddsmakerError('RESULTS_INVALID', `${file}: ${problem}`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
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
  return new Map(Object.entries(read.data) as [GameId, FinalScore][]);
}
