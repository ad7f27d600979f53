// A generated evening of six games as a tape: the paper exchange with synthetic traders, in process on a virtual
// clock, and what a recorder connected to it would write. The seed decides everything: the same call gives
// the same bytes.
import { constants, zstdCompressSync } from 'node:zlib';
import type { GameResult, GameId } from '../src/domain/index.ts';
import type { AccountOptions } from '../src/venue/index.ts';
import type { Tempo } from '../src/traders/index.ts';
import { InProcessExchange } from '../src/paper/index.ts';

const SEED = 1;
export const LEAGUE = 'NBA';
export const RECORDER = { username: 'recorder', password: 'recorder' };
const OPENED = '2030-11-16T12:00Z';
const STARTS = [
  '2030-11-16T18:00Z',
  '2030-11-16T18:30Z',
  '2030-11-16T19:00Z',
  '2030-11-16T19:30Z',
  '2030-11-16T20:00Z',
  '2030-11-16T20:30Z',
];
/** When the recorder was connected, and how each connection ended: once by a fault, once by the recorder. */
export const CONNECTIONS = [
  { from: '2030-11-16T16:30:00.000Z', to: '2030-11-16T19:41:07Z', end: 'transport close' },
  { from: '2030-11-16T19:43:30.000Z', to: '2030-11-16T23:30Z', end: 'io client disconnect' },
] as const;
/** Deep books that move rarely: a whole evening of them is small enough to ship, and is played in seconds. */
export const CALM: Tempo = {
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
};
const BOOKS = '/exchange/getOrderbook';

export type Sample = {
  /** NDJSON, as of docs/reference/tapes.md. */
  readonly tape: string;
  readonly scores: ReadonlyMap<GameId, GameResult>;
};

/** The exchange before its first event. */
export const sampleExchange = (accounts: readonly AccountOptions[] = [RECORDER]): InProcessExchange =>
  new InProcessExchange({
    startMs: Date.parse(OPENED),
    seed: SEED,
    league: LEAGUE,
    traders: 'synthetic',
    starts: STARTS.map((start) => Date.parse(start)),
    tempo: CALM,
    accounts,
  });

/** Runs the evening and records it. */
export const makeSample = (exchange = sampleExchange()): Sample => recordEvening(exchange, CONNECTIONS);

/** When a recorder is connected, as text, and how the connection ends. */
type Recorded = { readonly from: string; readonly to: string; readonly end: string };

/** Runs an exchange that has the account `RECORDER`, and records it while the recorder is connected. */
export function recordEvening(exchange: InProcessExchange, connections: readonly [Recorded, ...Recorded[]]): Sample {
  const { venue } = exchange.world;
  const { profile } = venue;
  const lines: string[] = [];
  const scores = new Map<GameId, GameResult>();
  const write = (line: object): void => {
    lines.push(`${JSON.stringify(line)}\n`);
  };
  const record = (event: string, data: string): void =>
    write({ ts: exchange.nowMs, ns: profile.priceNamespace, event, data });
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
  const perspective = profile.bookPerspective;
  write({ tape: 1, depth: null, perspective, profile, from: connections[0].from });
  for (const { from, to, end } of connections) {
    exchange.advanceTo(Date.parse(from));
    record('connect', '');
    const connection = exchange.connect(
      profile.priceNamespace,
      { headers },
      { frame: (event, { text }) => record(event, text), closed: () => record('disconnect', end) },
    );
    const sent = exchange.nowMs;
    const data = ask(BOOKS, { leagueRequested: LEAGUE });
    write({ ts: exchange.nowMs, ns: 'rest', event: `POST ${BOOKS}`, sent, data });
    exchange.advanceTo(Date.parse(to));
    connection?.close();
    // the exchange forgets a game a day after it was graded
    for (const { header, graded } of venue.games.values()) if (graded !== undefined) scores.set(header.id, graded);
  }
  return { tape: lines.join(''), scores };
}

const LEVEL = 12;
/** Base-2 logarithm of the compression window: 16 MB. */
const WINDOW_LOG = 24;

/** The compressed tape of this folder. */
export const packed = ({ tape }: Sample): Buffer =>
  zstdCompressSync(tape, {
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });

/** The scores file of this folder, for `backtest --results`. */
export function scoresText({ scores }: Sample): string {
  const lines = [...scores].map(([game, { home, away }]) => `  "${game}": { "home": ${home}, "away": ${away} }`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
