// A generated season as a folder of tapes, one for each evening, and a file with all scores. The paper
// exchange makes it with synthetic traders, in process on a virtual clock. The seed decides everything: the
// same settings give the same bytes. A finished season stays in the cache folder, under the hash of its settings.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { CALM, LEAGUE, RECORDER, recordEvening } from '../examples/sample-evening.ts';
import { cacheFolder } from '../src/files/index.ts';
import { InProcessExchange } from '../src/paper/index.ts';
import { Child, serve } from './child.ts';

const SEED = 1;
const FIRST_EVENING = Date.parse('2030-10-22T00:00Z');
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Hours after midnight: the exchange opens, the recorder connects, the first game starts, the recorder leaves. */
const OPENS = 12;
const FROM = 17.5;
const STARTS = 18;
const TO = 21.5;
const BETWEEN_STARTS_MS = 10 * MINUTE_MS;
/** Evenings of seven and of eight games alternate: 1,230 games in 164 evenings. */
const GAMES = [7, 8] as const;
export const SEASON_EVENINGS = 164;
const gamesOn = (evening: number): number => GAMES[evening % GAMES.length] ?? 0;

export type Season = {
  /** The folder of the tapes, and the file of the scores. */
  readonly tapes: string;
  readonly scores: string;
  readonly evenings: number;
  readonly games: number;
};

/** The season with this number of evenings. Two processes make what the cache does not have. */
export async function seasonOf(evenings: number): Promise<Season> {
  const settings = { SEED, FIRST_EVENING, OPENS, FROM, STARTS, TO, BETWEEN_STARTS_MS, GAMES, CALM, evenings };
  const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `bench-season-${hash}`);
  const games = Array.from({ length: evenings }, (_, evening) => gamesOn(evening)).reduce((sum, n) => sum + n, 0);
  const season = { tapes: join(folder, 'tapes'), scores: join(folder, 'scores.json'), evenings, games };
  if (existsSync(season.scores)) return season;
  mkdirSync(season.tapes, { recursive: true });
  const left = Array.from({ length: evenings }, (_, evening) => evening);
  const scores: Record<string, unknown> = {};
  await Promise.all(
    [1, 2].map(async () => {
      const child = new Child<Order, Scores>('./season.ts', [CHILD]);
      for (let evening = left.shift(); evening !== undefined; evening = left.shift())
        Object.assign(scores, await child.ask({ evening, folder: season.tapes }));
      await child.close();
    }),
  );
  const draft = `${season.scores}.draft`;
  writeFileSync(draft, JSON.stringify(Object.fromEntries(Object.entries(scores).sort())));
  renameSync(draft, season.scores);
  return season;
}

/** Removes a season from the cache. */
export const dropSeason = ({ tapes }: Season): void => rmSync(join(tapes, '..'), { recursive: true, force: true });

/** The scores of an evening, in the form of `--results`. */
type Scores = Record<string, { readonly home: number; readonly away: number }>;

/** Plays an evening and records it. */
function evening(number: number): { readonly tape: string; readonly scores: Scores } {
  const dayMs = FIRST_EVENING + number * DAY_MS;
  const exchange = new InProcessExchange({
    startMs: dayMs + OPENS * HOUR_MS,
    seed: SEED + number,
    league: LEAGUE,
    traders: 'synthetic',
    starts: Array.from({ length: gamesOn(number) }, (_, game) => dayMs + STARTS * HOUR_MS + game * BETWEEN_STARTS_MS),
    tempo: CALM,
    accounts: [RECORDER],
  });
  const timeAt = (hour: number): string => new Date(dayMs + hour * HOUR_MS).toISOString();
  const { tape, scores } = recordEvening(exchange, [
    { from: timeAt(FROM), to: timeAt(TO), end: 'io client disconnect' },
  ]);
  const scored: Scores = {};
  for (const [id, { home, away }] of scores) if (home !== undefined && away !== undefined) scored[id] = { home, away };
  return { tape, scores: scored };
}

type Order = { readonly evening: number; readonly folder: string };
const CHILD = '--makes-evenings';

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === CHILD)
  serve(({ evening: number, folder }: Order): Scores => {
    const { tape, scores } = evening(number);
    const name = new Date(FIRST_EVENING + number * DAY_MS).toISOString().slice(0, 10);
    const file = join(folder, `${name}.ndjson.zst`);
    if (!existsSync(file)) writeFileSync(file, zstdCompressSync(tape));
    return scores;
  });
