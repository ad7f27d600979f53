// A generated season as a folder of tapes, one for each evening, and a file with all scores. The paper
// exchange makes it with synthetic traders, in process on a virtual clock. The seed decides everything: the
// same settings give the same bytes. A finished season stays in the cache folder, under the hash of its settings.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { cacheFolder } from '../src/files/index.ts';
import { InProcessExchange } from '../src/paper/index.ts';
import { Child, serve } from './child.ts';

const SEED = 1;
const LEAGUE = 'NBA';
const RECORDER = { username: 'recorder', password: 'recorder' };
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
/** Deep books that move rarely, as in examples/sample-evening.ts. */
const TEMPO = {
  lines: 'main',
  drift: 0.2,
  news: 0.2,
  stops: 0.6,
  makers: 1,
  levels: [3, 4],
  edge: 1.2,
  requoteAt: { ahead: 0.015, live: 0.03 },
  pullAt: { ahead: 0.04, live: 0.1 },
  refill: 'gone',
  waiting: 3,
  noiseEvery: [200, 600],
  lightNoiseEvery: [200, 600],
  noiseMost: 1500,
} as const;

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
  const settings = { SEED, FIRST_EVENING, OPENS, FROM, STARTS, TO, BETWEEN_STARTS_MS, GAMES, TEMPO, evenings };
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
      const child = new Child<Order, Evening['scores']>('./season.ts', [CHILD]);
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

type Evening = {
  /** NDJSON, as of docs/reference/tapes.md. */
  readonly tape: string;
  /** The scores in the form of `--results`. */
  readonly scores: Readonly<Record<string, { readonly home: number; readonly away: number }>>;
};

/** Plays an evening and records it. */
function evening(number: number): Evening {
  const dayMs = FIRST_EVENING + number * DAY_MS;
  const exchange = new InProcessExchange({
    startMs: dayMs + OPENS * HOUR_MS,
    seed: SEED + number,
    league: LEAGUE,
    traders: 'synthetic',
    starts: Array.from({ length: gamesOn(number) }, (_, game) => dayMs + STARTS * HOUR_MS + game * BETWEEN_STARTS_MS),
    tempo: TEMPO,
    accounts: [RECORDER],
  });
  const { venue } = exchange.world;
  const { profile } = venue;
  const lines: string[] = [];
  const record = (line: object): void => {
    lines.push(`${JSON.stringify(line)}\n`);
  };
  const frame = (event: string, data: string): void =>
    record({ ts: exchange.nowMs, ns: profile.priceNamespace, event, data });
  const headers: Record<string, string> = { 'x-api-version': profile.apiVersionHeader };
  const ask = (path: string, body: object): string => {
    let answer = '';
    exchange.request({ method: 'POST', path, headers, query: {}, body: JSON.stringify(body) }, (ending) => {
      if (ending === 'reset' || ending.status !== 200) throw new Error(`${path} was refused`);
      answer = ending.payload.text;
    });
    return answer;
  };
  const login = JSON.parse(ask(profile.loginPath, RECORDER)) as { data: { user: { auth: string } } };
  headers['authorization'] = login.data.user.auth;
  const fromMs = dayMs + FROM * HOUR_MS;
  record({ tape: 1, depth: null, perspective: profile.bookPerspective, profile, from: new Date(fromMs).toISOString() });
  exchange.advanceTo(fromMs);
  frame('connect', '');
  const connection = exchange.connect(
    profile.priceNamespace,
    { headers },
    { frame: (event, { text }) => frame(event, text), closed: () => frame('disconnect', 'io client disconnect') },
  );
  const sent = exchange.nowMs;
  const path = '/exchange/getOrderbook';
  record({ ts: sent, ns: 'rest', event: `POST ${path}`, sent, data: ask(path, { leagueRequested: LEAGUE }) });
  exchange.advanceTo(dayMs + TO * HOUR_MS);
  connection?.close();
  const scores: Record<string, { home: number; away: number }> = {};
  for (const { header, graded } of venue.games.values())
    if (graded?.home !== undefined && graded.away !== undefined)
      scores[header.id] = { home: graded.home, away: graded.away };
  return { tape: lines.join(''), scores };
}

type Order = { readonly evening: number; readonly folder: string };
const CHILD = '--makes-evenings';

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === CHILD)
  serve(({ evening: number, folder }: Order): Evening['scores'] => {
    const { tape, scores } = evening(number);
    const name = new Date(FIRST_EVENING + number * DAY_MS).toISOString().slice(0, 10);
    const file = join(folder, `${name}.ndjson.zst`);
    if (!existsSync(file)) writeFileSync(file, zstdCompressSync(tape));
    return scores;
  });
