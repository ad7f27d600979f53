// Final scores, for the settlement of a backtest.
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
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
  const twice = keyToldTwice(text);
  if (twice !== undefined) throw new OddsmakerError('RESULTS_INVALID', `${file}:${twice}`);
  return new Map(Object.entries(read.data) as [GameId, FinalScore][]);
}

/** Of two scores of one game `JSON.parse` would take the last: the line of the second, and what is wrong. */
function keyToldTwice(text: string): string | undefined {
  const lines = new LineCounter();
  const { errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  return error === undefined ? undefined : `${lines.linePos(error.pos[0]).line}: a key is told twice`;
}
