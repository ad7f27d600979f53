// Tapes of several games on several days, for parameter sweeps. Each game has its own short tape and begins
// before it ends.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeGeneratedTape } from './generated-tape.ts';

const FIRST_DAY = Date.parse('2030-03-01T18:00:00Z');
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** Writes `games` tapes for each of `days` days; returns the folder. */
export function writeGameDays(folder: string, days: number, games: number, seconds = 40): string {
  const tapes = join(folder, 'tapes');
  mkdirSync(tapes, { recursive: true });
  for (let day = 0; day < days; day++)
    for (let game = 0; game < games; game++) {
      const id = `d${String(day).padStart(2, '0')}g${game}`;
      writeGeneratedTape(join(tapes, `${id}.ndjson.gz`), seconds, {
        id,
        from: FIRST_DAY + day * DAY_MS + game * HOUR_MS,
        startsAfter: (seconds - 2) * 1000,
        phase: day + game / 3,
      });
    }
  return tapes;
}
