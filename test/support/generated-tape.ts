// Writes the tape of a synthetic game with a moneyline, a spread and a total, whose prices move and whose
// offers are taken.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { oddsOf, rungAtMost } from '../../src/domain/index.ts';

const GAME = 'tape-game';
const AWAY = 'tape-away';
const HOME = 'tape-home';
const FROM = Date.parse('2030-03-01T18:00:00Z');
/** The distance of each price level from the fair price, in probability, best first. */
const LEVELS = [0.01, 0.018, 0.03, 0.045];
const SIZE = 120;

type Side = { readonly key: Readonly<Record<string, unknown>>; readonly first: boolean };
type Row = {
  readonly id: string;
  readonly odds: number;
  readonly risk: number;
  left: number;
  readonly createdAt: string;
};

const LINES: readonly { readonly type: string; readonly sides: readonly [Side, Side] }[] = [
  {
    type: 'moneyline',
    sides: [
      { key: { participantID: HOME }, first: true },
      { key: { participantID: AWAY }, first: false },
    ],
  },
  {
    type: 'spread',
    sides: [
      { key: { participantID: HOME, spread: -3.5 }, first: true },
      { key: { participantID: AWAY, spread: 3.5 }, first: false },
    ],
  },
  {
    type: 'total',
    sides: [
      { key: { participantID: null, OU: 'over', total: 210.5 }, first: true },
      { key: { participantID: null, OU: 'under', total: 210.5 }, first: false },
    ],
  },
];

export type GeneratedGame = {
  readonly id?: string;
  /** The time of the first frame, Unix ms. */
  readonly from?: number;
  /** The time from the first frame to the start of the game, ms. */
  readonly startsAfter?: number;
  /** The phase of the price wave, radians. */
  readonly phase?: number;
  /** The second of the tape at which home and away change places. */
  readonly swapAt?: number | undefined;
};

/** Writes `seconds` of tape with four steps per second. The same call writes the same bytes. */
export function writeGeneratedTape(
  file: string,
  seconds: number,
  { id: game = GAME, from = FROM, startsAfter = 7_200_000, phase = 0, swapAt }: GeneratedGame = {},
): void {
  const lines: string[] = [JSON.stringify({ tape: 1, from, depth: null, perspective: 'offerer', profile: {} })];
  const frame = (atMs: number, event: string, data: unknown): void => {
    lines.push(JSON.stringify({ ts: atMs, ns: '/priceUpdates', event, data: JSON.stringify(data) }));
  };
  const header = (atMs: number, isSwapped: boolean) =>
    frame(atMs, 'gameUpdate', {
      id: game,
      league: 'NBA',
      sport: 'basketball',
      start: new Date(from + startsAfter).toISOString(),
      live: false,
      ended: false,
      eventName: isSwapped ? 'Otters @ Ravens' : 'Ravens @ Otters',
      messageType: 'marketOpen',
      mainHomeSpread: isSwapped ? 3.5 : -3.5,
      mainAwaySpread: isSwapped ? -3.5 : 3.5,
      mainTotal: 210.5,
      participants: [
        { id: AWAY, longName: 'Ravens', shortName: 'RAV', homeAway: isSwapped ? 'home' : 'away' },
        { id: HOME, longName: 'Otters', shortName: 'OTT', homeAway: isSwapped ? 'away' : 'home' },
      ],
    });
  header(from, false);
  let ids = 0;
  const book = new Map<Side, { fair: number; rows: Row[] }>();
  for (let step = 0; step <= seconds * 4; step++) {
    const atMs = from + 1 + step * 250;
    const isSwapped = swapAt !== undefined && step >= swapAt * 4;
    if (step === (swapAt ?? Number.NaN) * 4) header(atMs, true);
    for (const [index, line] of LINES.entries()) {
      // a slow wave, requoted after a move by half a point of probability
      const fair = 0.5 + 0.06 * Math.sin(step / 60 + index + phase);
      for (const side of line.sides) {
        const p = side.first ? fair : 1 - fair;
        let state = book.get(side);
        const requote = state === undefined || Math.abs(state.fair - p) > 0.005;
        // once a second a step takes part of the third level: it also takes offers with a better price
        const take = state !== undefined && (step + index) % 4 === (side.first ? 0 : 2);
        if (state === undefined || requote) {
          state = {
            fair: p,
            rows: LEVELS.map((distance) => ({
              id: `${game === GAME ? '' : game}t${(ids += 1)}`,
              odds: oddsAt(p - distance),
              risk: SIZE,
              left: SIZE,
              createdAt: new Date(atMs).toISOString(),
            })),
          };
          book.set(side, state);
        } else if (take) {
          const third = state.rows[2];
          if (third !== undefined) third.left = Math.max(1, third.left - 15);
        } else continue;
        frame(atMs, 'orderUpdate', {
          gameID: game,
          sport: 'basketball',
          league: 'NBA',
          live: false,
          type: line.type,
          ...side.key,
          ...(line.type === 'spread'
            ? { mainHomeSpread: isSwapped ? 3.5 : -3.5, mainAwaySpread: isSwapped ? -3.5 : 3.5 }
            : {}),
          ...(line.type === 'total' ? { mainTotal: 210.5 } : {}),
          sideOrders: state.rows.map(({ left, ...row }) => ({
            ...row,
            type: line.type,
            sumUntaken: left,
            takenRatio: (SIZE - left) / SIZE,
            gameID: game,
            expiry: null,
          })),
        });
      }
    }
  }
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`));
}

function oddsAt(probability: number): number {
  const rung = rungAtMost(probability, 1);
  if (rung === undefined) throw new Error(`no odds for ${probability}`);
  return oddsOf(rung);
}
