// Reads `orderUpdate` frames of the same sides repeatedly: a frame carries a whole ladder, in which little
// changes, with rows of equal layout. A row that equals one of the previous frame is not parsed again. For
// other rows, the layout is learned from rows that JSON.parse read: their constant text is compared and their
// few values are scanned. An unchanged offer stays the same object. A frame with an unexpected layout goes to
// `parseOrderUpdate`. Invariant: the result equals that of `parseOrderUpdate`, for every text. A payload may
// also be read inside a JSON text, escaped: unescaping it first would cost more than reading it.
import type { BookPerspective, Ladder, Offer, Result, SideFrame } from '../domain/index.ts';
import { NO_OFFERS, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { isRecord } from './json.ts';
import { LadderBuilder, offerOf, parseOrderUpdate, rawOffer } from './order-update.ts';
import type { RawOffer } from './order-update.ts';

const OPENS = '"sideOrders":[';
/** The form of a payload: plain, or inside JSON text, with a backslash before each quote. */
export type PayloadForm = 'plain' | 'escaped';
/** The number of layouts of one side: own rows and rows that expire differ from the others. */
const MOST_LAYOUTS = 3;
/** How many offers of the previous ladder may be missing at one place. */
const LOOK_AHEAD = 4;
/** A side is forgotten when it is in none of this many frames. */
const FRAMES_REMEMBERED = 50_000;
/** The bound of the known sides, whatever an exchange sends. */
const MOST_SIDES = 30_000;
/** The bound of the frames kept as text, characters in total. */
const MOST_TEXT = 8_000_000;

type Field = 'id' | 'createdAt' | 'expiry' | 'odds' | 'risk' | 'sumUntaken' | 'takenRatio';
/**
 * The layout of a row: `texts[0]`, the value of `fields[0]`, `texts[1]`, …; `fixed` holds the values in its
 * constant text.
 */
type Layout = {
  readonly texts: readonly string[];
  readonly fields: readonly Field[];
  readonly fixed: RawOffer;
};
type Known = {
  /** The frame without its ladder. */
  readonly frame: SideFrame;
  /** The text after the ladder. */
  readonly tail: string;
  layouts: readonly Layout[];
  ladder: Ladder;
  /** The newest frame; dropped for sides that did not appear for long. */
  last: Rows | undefined;
};
/** A frame that was read: the end of each row, and its offer, including those with nothing left. */
type Rows = { readonly text: string; readonly ends: readonly number[]; readonly offers: readonly Offer[] };
/** Rows of the previous frame: the first one, and the one behind the last. */
type Run = { readonly from: number; readonly to: number };

export class SideReader {
  /** True when a row of the last payload may have nothing left; false when none has. */
  mayShowSpent = false;
  readonly #perspective: BookPerspective;
  readonly #isEscaped: boolean;
  readonly #opens: string;
  readonly #quote: string;
  /** Sides by the text before the ladder. */
  #sides = new Map<string, Known>();
  /** Sides of earlier frames; they move to `#sides` when they appear again. */
  #older = new Map<string, Known>();
  #frames = 0;
  /** Sides whose newest frame is kept, the oldest frame first. */
  readonly #kept = new Set<Known>();
  #keptText = 0;
  /** The position of the scan. */
  #at = 0;

  constructor(perspective: BookPerspective, form: PayloadForm = 'plain') {
    this.#perspective = perspective;
    this.#isEscaped = form === 'escaped';
    this.#opens = this.#shown(OPENS);
    this.#quote = this.#shown('"');
  }

  /** Parses a plain payload. */
  read(payload: string): Result<SideFrame> {
    const frame = this.scan(payload);
    if (frame !== undefined) return ok(frame);
    this.mayShowSpent = true;
    return parseOrderUpdate(payload, this.#perspective);
  }

  /**
   * Scans a payload in the form of this reader. Undefined when its layout is unexpected: then nothing is
   * known of its content.
   */
  scan(text: string): SideFrame | undefined {
    const opens = text.indexOf(this.#opens);
    const start = opens + this.#opens.length;
    const known = opens < 0 ? undefined : this.#knownOf(text, start);
    const frame = known === undefined ? undefined : this.#scan(text, start, known);
    if (known === undefined || frame === undefined) return undefined;
    this.#keep(known, frame);
    // the ladder omits rows with nothing left
    this.mayShowSpent = known.ladder.length < frame.offers.length;
    return { ...known.frame, offers: known.ladder };
  }

  /**
   * Plain JSON text in the form of this reader. `#plain` is the inverse, undefined when the text is invalid.
   */
  #shown(plain: string): string {
    return this.#isEscaped ? JSON.stringify(plain).slice(1, -1) : plain;
  }

  #plain(shown: string): string | undefined {
    return this.#isEscaped ? (parsed(`"${shown}"`) as string | undefined) : shown;
  }

  #keep(known: Known, frame: Rows): void {
    this.#kept.delete(known);
    this.#kept.add(known);
    this.#keptText += frame.text.length - (known.last?.text.length ?? 0);
    known.last = frame;
    for (const oldest of this.#kept) {
      if (this.#keptText <= MOST_TEXT) return;
      this.#kept.delete(oldest);
      this.#keptText -= oldest.last?.text.length ?? 0;
      oldest.last = undefined;
    }
  }

  #knownOf(payload: string, start: number): Known | undefined {
    const head = payload.slice(0, start);
    const known = this.#sides.get(head) ?? this.#older.get(head) ?? this.#learn(head, payload);
    if (known === undefined) return undefined;
    this.#frames += 1;
    if (this.#frames > FRAMES_REMEMBERED || this.#sides.size >= MOST_SIDES) {
      this.#frames = 0;
      this.#older = this.#sides;
      this.#sides = new Map();
    }
    if (!this.#sides.has(head)) this.#sides.set(flat(head), known);
    return known;
  }

  /**
   * Learns a side: the frame without its rows must be a valid frame, and its empty ladder the only missing
   * part.
   */
  #learn(head: string, text: string): Known | undefined {
    const shownTail = text.slice(text.lastIndexOf(']') + 1);
    const plainHead = this.#plain(head);
    const tail = this.#plain(shownTail);
    // a second ladder under the same name would replace the first one
    if (tail === undefined || tail.includes('\\') || tail.includes('sideOrders')) return undefined;
    const json = parsed(`${plainHead}]${tail}`);
    if (!isRecord(json) || !Array.isArray(json['sideOrders']) || json['sideOrders'].length > 0) return undefined;
    const frame = parseOrderUpdate(`${plainHead}]${tail}`, this.#perspective);
    return frame.ok
      ? { frame: frame.value, tail: flat(shownTail), layouts: [], ladder: NO_OFFERS, last: undefined }
      : undefined;
  }

  /** The frame and, in `known`, its ladder; undefined when the text has an unexpected layout. */
  #scan(text: string, start: number, known: Known): Rows | undefined {
    const { last, tail } = known;
    const close = text.length - tail.length - 1;
    if (text.charCodeAt(close) !== CLOSE || !text.endsWith(tail)) return undefined;
    const builder = new LadderBuilder(known.ladder);
    const ends: number[] = [];
    const offers: Offer[] = [];
    let next = 0;
    for (this.#at = start; this.#at < close;) {
      if (ends.length > 0) {
        if (text.charCodeAt(this.#at) !== COMMA) return undefined;
        this.#at += 1;
      }
      const again = last === undefined ? undefined : rowsAgain(text, this.#at, last, next, start);
      if (again !== undefined && last !== undefined) {
        const moved = this.#at - startOf(last, again.from, start);
        for (let row = again.from; row < again.to; row++) {
          const offer = last.offers[row];
          if (offer === undefined) return undefined;
          builder.addBefore(offer);
          offers.push(offer);
          this.#at = (last.ends[row] ?? 0) + moved;
          ends.push(this.#at);
        }
        next = again.to;
        continue;
      }
      const offer = this.#scanOffer(text, known, builder);
      if (offer === undefined) return undefined;
      builder.addOffer(offer);
      ends.push(this.#at);
      offers.push(offer);
    }
    if (this.#at !== close) return undefined;
    known.ladder = builder.ladder();
    return { text, ends: ends.slice(), offers: builder.isWhole ? known.ladder : offers.slice() };
  }

  #scanOffer(text: string, known: Known, builder: LadderBuilder): Offer | undefined {
    const start = this.#at;
    for (const layout of known.layouts) {
      this.#at = start;
      const raw = this.#scanRow(text, layout, builder);
      if (raw === undefined) continue;
      const offer = offerOf(raw, this.#perspective, builder.before);
      return typeof offer === 'string' ? undefined : offer;
    }
    const end = text.indexOf('}', start) + 1;
    const row = this.#plain(text.slice(start, end));
    const json = row === undefined ? undefined : parsed(row);
    if (row === undefined || !isRecord(json)) return undefined;
    this.#at = end;
    const layout = known.layouts.length < MOST_LAYOUTS ? layoutOf(row, json) : undefined;
    if (layout !== undefined) {
      const texts = layout.texts.map((constant) => flat(this.#shown(constant)));
      // copies have no spare capacity
      known.layouts = known.layouts.concat({ ...layout, texts, fields: layout.fields.slice() });
    }
    const offer = offerOf(rawOffer(json), this.#perspective);
    // values of the ladder are compared with the raw text
    return typeof offer !== 'string' && isPlain(offer.id) && isPlain(offer.createdAt) && isPlain(offer.expiry ?? '')
      ? offer
      : undefined;
  }

  /** The values of a row in this layout; undefined when the row has another layout. */
  #scanRow(text: string, { texts, fields, fixed }: Layout, builder: LadderBuilder): RawOffer | undefined {
    const raw = { ...fixed };
    for (let i = 0; i < fields.length; i++) {
      const constant = texts[i] ?? '';
      if (!isAt(text, this.#at, constant)) return undefined;
      this.#at += constant.length;
      const field = fields[i];
      if (field === 'id') {
        builder.before = this.#beforeOf(text, builder);
        raw.id = this.#scanText(text, builder.before?.id);
        if (raw.id === undefined) return undefined;
      } else if (field === 'createdAt' || field === 'expiry') {
        raw[field] = this.#scanText(text, builder.before?.[field]);
        if (raw[field] === undefined) return undefined;
      } else if (field !== undefined) {
        const number = this.#scanNumber(text);
        if (number === undefined) return undefined;
        raw[field] = number;
      }
    }
    const last = texts[fields.length] ?? '';
    if (!isAt(text, this.#at, last)) return undefined;
    this.#at += last.length;
    return raw;
  }

  /** The offer of the old ladder with the id at this position: the next one, or one of the few behind it. */
  #beforeOf(text: string, builder: LadderBuilder): Offer | undefined {
    for (let i = 0; i < LOOK_AHEAD; i++) {
      const offer = builder.old[builder.next + i];
      if (offer === undefined) return undefined;
      if (this.#shows(text, offer.id)) {
        builder.next += i + 1;
        return offer;
      }
    }
    return undefined;
  }

  #shows(text: string, expected: string): boolean {
    return isAt(text, this.#at, expected) && isAt(text, this.#at + expected.length, this.#quote);
  }

  /** The text up to the closing quote; the quote belongs to the constant text that follows. */
  #scanText(text: string, expected: string | undefined): string | undefined {
    if (expected !== undefined && this.#shows(text, expected)) {
      this.#at += expected.length;
      return expected;
    }
    const end = text.indexOf(this.#quote, this.#at);
    const value = end < 0 ? undefined : text.slice(this.#at, end);
    if (value === undefined || !isPlain(value)) return undefined;
    this.#at = end;
    return flat(value);
  }

  /** A JSON number whose digits a double holds exactly: then it equals the double that JSON.parse reads. */
  #scanNumber(text: string): number | undefined {
    let index = this.#at;
    let code = text.charCodeAt(index);
    const isNegative = code === MINUS;
    if (isNegative) code = text.charCodeAt(++index);
    const first = index;
    let mantissa = 0;
    while (code >= ZERO && code <= NINE) {
      mantissa = mantissa * 10 + code - ZERO;
      code = text.charCodeAt(++index);
    }
    const whole = index - first;
    if (whole === 0 || (whole > 1 && text.charCodeAt(first) === ZERO)) return undefined;
    let decimals = 0;
    if (code === POINT) {
      code = text.charCodeAt(++index);
      while (code >= ZERO && code <= NINE) {
        mantissa = mantissa * 10 + code - ZERO;
        code = text.charCodeAt(++index);
        decimals += 1;
      }
      if (decimals === 0) return undefined;
    }
    // an exponent is not in the constant text, so such a row fails the scan
    if (whole + decimals > EXACT_DIGITS) return undefined;
    this.#at = index;
    const value = mantissa / (POWERS[decimals] ?? Number.NaN);
    return isNegative ? -value : value;
  }
}

const startOf = ({ ends }: Rows, row: number, first: number): number => (row === 0 ? first : (ends[row - 1] ?? 0) + 1);

/**
 * The longest run of rows of the previous frame at this position; undefined when none of the next few rows
 * matches.
 */
function rowsAgain(text: string, position: number, last: Rows, next: number, first: number): Run | undefined {
  const { ends } = last;
  const upTo = Math.min(ends.length, next + LOOK_AHEAD);
  for (let from = next; from < upTo; from++) {
    const start = startOf(last, from, first);
    const stands = (to: number): boolean => isAt(text, position, last.text.slice(start, ends[to - 1]));
    if (!stands(from + 1)) continue;
    // mostly all remaining rows, or all up to a changed one
    let [to, over] = [from + 1, ends.length + 1];
    for (let probe = ends.length; to + 1 < over; probe = (to + over) >>> 1)
      if (stands(probe)) to = probe;
      else over = probe;
    return { from, to };
  }
  return undefined;
}

/** Compares text at an index; ten times as fast as `startsWith`, which compares letter by letter. */
const isAt = (text: string, index: number, expected: string): boolean =>
  text.slice(index, index + expected.length) === expected;

const [COMMA, MINUS, POINT, ZERO, NINE, CLOSE] = [44, 45, 46, 48, 57, 93];
const EXACT_DIGITS = 15;
const POWERS: readonly number[] = Array.from({ length: EXACT_DIGITS + 1 }, (_none, n) => 10 ** n);

/** True for text that JSON holds without escapes. */
const isPlain = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text);

/**
 * A copy of the text: a slice would keep the whole payload in memory. The text is plain, or a piece of valid
 * JSON.
 */
const flat = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PAIR = /"([a-zA-Z]+)":("[ !#-[\]-~]*"|-?\d[\d.eE+-]*|null|true|false)([,}])/y;
const isTextField = (key: string): key is 'id' | 'createdAt' | 'expiry' =>
  key === 'id' || key === 'createdAt' || key === 'expiry';
const isNumberField = (key: string): key is 'odds' | 'risk' | 'sumUntaken' | 'takenRatio' =>
  key === 'odds' || key === 'risk' || key === 'sumUntaken' || key === 'takenRatio';

/** The layout of a row; undefined when the row is not flat, repeats a key, or has numbers as text. */
function layoutOf(row: string, json: Json): Layout | undefined {
  const texts: string[] = [];
  const fields: Field[] = [];
  const seen = new Set<string>();
  const fixed: RawOffer = rawOffer(json);
  let constant = '{';
  PAIR.lastIndex = 1;
  if (!row.startsWith('{')) return undefined;
  for (;;) {
    const pair = PAIR.exec(row);
    const [, key, value, end] = pair ?? [];
    if (key === undefined || value === undefined || seen.has(key)) return undefined;
    seen.add(key);
    constant += `"${key}":`;
    const isText = value.startsWith('"');
    const isNumber = /^[-\d]/.test(value);
    // the meaning of `bet` beside a `risk` is left to the slow path
    if (key === 'bet' || (isNumberField(key) && isText)) return undefined;
    if (isTextField(key) && isText) {
      texts.push(`${constant}"`);
      fields.push(key);
      constant = '"';
    } else if (isNumberField(key) && isNumber) {
      texts.push(constant);
      fields.push(key);
      constant = '';
    } else constant += value;
    constant += end ?? '';
    if (end === '}') break;
  }
  if (PAIR.lastIndex !== 0 && PAIR.lastIndex !== row.length) return undefined;
  texts.push(constant);
  return fields.includes('id') ? { texts, fields, fixed } : undefined;
}
