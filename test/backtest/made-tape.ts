// Tapes written by hand, for tests whose fills can be worked out on paper: one game, times in seconds after
// noon, ladders as short rows. The same calls write the market in the offerer's or in the taker's view.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../support/children.ts';

/** The time of second 0 of every tape, ms. */
export const NOON = Date.parse('2030-01-01T12:00:00Z');
export const GAME = 'made-game';
/** The second at which the game starts, unless the tape says otherwise. */
export const START_S = 3600;
const HOME = 'made-home';
const AWAY = 'made-away';

export const timeAt = (seconds: number): number => NOON + seconds * 1000;
const iso = (seconds: number): string => new Date(timeAt(seconds)).toISOString();

/** An offer of a ladder, always in the offerer's terms. */
export type Row = {
  readonly id: string;
  readonly odds: number;
  /** The original size, dollars. */
  readonly risk: number;
  /** What can still be taken, dollars. By default all of it. */
  readonly left?: number;
  /** The second of its creation, after noon. By default an hour before noon. */
  readonly made?: number;
  readonly expires?: number;
  /** The offer is the recorder's own: its row carries `createdBy`. */
  readonly own?: boolean;
  readonly takenRatio?: number;
};

export type SideName = 'home' | 'away' | `home ${number}` | `away ${number}` | `over ${number}` | `under ${number}`;
type View = 'offerer' | 'taker';
type Ladders = Partial<Record<'home' | 'away', readonly Row[]>>;

export class MadeTape {
  readonly lines: string[] = [];
  readonly #view: View;

  /** @param header of the first line; `null` leaves it out */
  constructor(header: { readonly depth?: number; readonly perspective?: View } | null = {}) {
    this.#view = header?.perspective ?? 'offerer';
    if (header === null) return;
    const { depth = null, perspective = 'offerer' } = header;
    this.lines.push(JSON.stringify({ tape: 1, from: NOON, depth, perspective, profile: {} }));
  }

  /** Writes the header of the game, with ladders when any are given. */
  game(seconds: number, fields: Readonly<Record<string, unknown>> = {}, ladders: Ladders = {}): this {
    return this.#frame(seconds, 'gameUpdate', { ...this.#header(fields), ...this.#ladders(ladders) });
  }

  /** Writes one side as it stands now: `home`, `away -3.5`, `over 210.5`. */
  side(seconds: number, name: SideName, rows: readonly Row[], live = false): this {
    return this.#frame(seconds, 'orderUpdate', {
      gameID: GAME,
      sport: 'basketball',
      league: 'NBA',
      live,
      ...this.#place(name),
      sideOrders: rows.map((row) => this.#row(row)),
    });
  }

  /** Writes a recorded REST read of the game. `sent` is the second of the request, when the tape has it. */
  read(seconds: number, ladders: Ladders, sent?: number, fields: Readonly<Record<string, unknown>> = {}): this {
    const game = { ...this.#header(fields), ...this.#ladders(ladders) };
    const times = sent === undefined ? {} : { sent: timeAt(sent) };
    return this.#line(seconds, 'rest', 'POST /exchange/getSingleOrderbook', { data: { game } }, times);
  }

  /**
   * Writes a message of the recorder's user feed: `filled` dollars were taken in all of an own offer of
   * 100 at +100.
   */
  took(seconds: number, orderID: string, filled: number): this {
    const place = { type: 'moneyline', side: HOME, odds: 100 };
    const data = {
      gameID: GAME,
      unmatched: { orderID, offered: 100, filled, remaining: 100 - filled, ...place },
      matched: { txID: `${orderID}-${filled}`, filled, orderID, ...place },
      origin: 'offer',
    };
    return this.#line(seconds, '/v2/user/p-1', 'positionUpdate', JSON.stringify(data));
  }

  connect(seconds: number): this {
    return this.#line(seconds, '/priceUpdates', 'connect', '');
  }

  disconnect(seconds: number): this {
    return this.#line(seconds, '/priceUpdates', 'disconnect', 'transport close');
  }

  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  write(name = 'made.ndjson'): string {
    const file = join(newFolder(), name);
    writeFileSync(file, this.text);
    return file;
  }

  #frame(seconds: number, event: string, data: unknown): this {
    return this.#line(seconds, '/priceUpdates', event, JSON.stringify(data));
  }

  #line(seconds: number, ns: string, event: string, data: unknown, fields: object = {}): this {
    this.lines.push(JSON.stringify({ ts: timeAt(seconds), ns, event, ...fields, data }));
    return this;
  }

  #header(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return {
      id: GAME,
      league: 'NBA',
      sport: 'basketball',
      start: iso(START_S),
      live: false,
      ended: false,
      eventName: 'Ravens @ Otters',
      participants: [
        { id: AWAY, longName: 'Ravens', shortName: 'RAV', homeAway: 'away' },
        { id: HOME, longName: 'Otters', shortName: 'OTT', homeAway: 'home' },
      ],
      ...fields,
    };
  }

  #ladders(ladders: Ladders): Readonly<Record<string, unknown>> {
    const rows = (offers: readonly Row[] | undefined): unknown => offers?.map((row) => this.#row(row));
    const [home, away] = this.#view === 'taker' ? ['away', 'home'] : ['home', 'away'];
    return { [`${home}Moneylines`]: rows(ladders.home), [`${away}Moneylines`]: rows(ladders.away) };
  }

  /** The market fields of a side. A taker sees an offer on HOME −3.5 among those for AWAY +3.5. */
  #place(name: SideName): Readonly<Record<string, unknown>> {
    const [side = '', lineText] = name.split(' ');
    const turned = this.#view === 'taker';
    if (side === 'over' || side === 'under') {
      const shown = turned ? (side === 'over' ? 'under' : 'over') : side;
      return { type: 'total', participantID: null, OU: shown, total: Number(lineText) };
    }
    const participantID = (side === 'home') === turned ? AWAY : HOME;
    if (lineText === undefined) return { type: 'moneyline', participantID };
    return { type: 'spread', participantID, spread: (turned ? -1 : 1) * Number(lineText) };
  }

  /** The fields of an offer. A taker sees the odds that he gets, and the stake that takes all of it. */
  #row({ id, odds, risk, left = risk, made = -3600, expires, own, takenRatio }: Row): unknown {
    const isTurned = this.#view === 'taker';
    const win = odds > 0 ? (left * odds) / 100 : (left * 100) / -odds;
    return {
      id,
      risk,
      sumUntaken: isTurned ? Number(win.toFixed(6)) : left,
      odds: isTurned && Math.abs(odds) !== 100 ? -odds : odds,
      takenRatio: takenRatio ?? (risk - left) / risk,
      gameID: GAME,
      expiry: expires === undefined ? null : iso(expires),
      createdAt: iso(made),
      ...(own === true ? { createdBy: 'recorder' } : {}),
    };
  }
}

export const newFolder = folder;
