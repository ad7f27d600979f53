// Reads `orderUpdate` frames of the same sides again and again: a frame tells a whole ladder, of which little changed, in
// rows that are laid out alike. A row that stands in the frame before is not read again. For the others the layout is
// learned from rows that JSON.parse read: their constant text is compared and their few values are scanned. An offer that
// did not change stays the same object. What is not laid out as expected goes to `parseOrderUpdate`. Invariant: the result
// equals that of `parseOrderUpdate`, for every text. A payload may also be read as it stands inside a JSON text, escaped:
// taking it out first would cost more than reading it.
import type { BookPerspective, Ladder, Offer, Result, SideFrame } from '../domain/index.ts';
import { NO_OFFERS, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { isRecord } from './json.ts';
import { LadderBuilder, offerOf, parseOrderUpdate, rawOffer } from './order-update.ts';
import type { RawOffer } from './order-update.ts';

const OPENS = '"sideOrders":[';
/** A payload as it is, or as JSON text shows it: with a backslash before each quote. */
export type PayloadForm = 'plain' | 'escaped';
/** Own rows and rows that expire are laid out differently from the rest. */
const MOST_LAYOUTS = 3;
/** How many offers of the ladder before may be gone at one place. */
const LOOK_AHEAD = 4;
/** A side that none of so many frames showed is forgotten. */
const FRAMES_REMEMBERED = 50_000;
/** And no more than so many are known at once, whatever an exchange sends. */
const MOST_SIDES = 30_000;
/** Frames kept as text, in characters all together. */
const MOST_TEXT = 8_000_000;

type Field = 'id' | 'createdAt' | 'expiry' | 'odds' | 'risk' | 'sumUntaken' | 'takenRatio';
/** A row is `texts[0]`, the value of `fields[0]`, `texts[1]`, …; what its constant text says is in `fixed`. */
type Layout = {
  readonly texts: readonly string[];
  readonly fields: readonly Field[];
  readonly fixed: RawOffer;
};
type Known = {
  /** Everything but the ladder. */
  readonly frame: SideFrame;
  /** The text after the ladder. */
  readonly tail: string;
  layouts: readonly Layout[];
  ladder: Ladder;
  /** Not kept for sides that were not shown for long. */
  last: Told | undefined;
};
/** A frame as it was read: where each row ends, and its offer, those with nothing left included. */
type Told = { readonly text: string; readonly ends: readonly number[]; readonly offers: readonly Offer[] };
/** Rows of the frame before, from the first to the one behind the last. */
type Run = { readonly from: number; readonly to: number };

export class SideReader {
  /** Of the payload read last: a row may have nothing left. False: none has. */
  mayShowSpent = false;
  readonly #perspective: BookPerspective;
  readonly #isEscaped: boolean;
  readonly #opens: string;
  readonly #quote: string;
  /** By the text before the ladder. */
  #sides = new Map<string, Known>();
  /** Sides of the frames before; they move over when they are shown again. */
  #older = new Map<string, Known>();
  #frames = 0;
  /** Sides whose newest frame is kept, that of the oldest first. */
  readonly #kept = new Set<Known>();
  #keptText = 0;
  /** Where the scan stands. */
  #at = 0;

  constructor(perspective: BookPerspective, form: PayloadForm = 'plain') {
    this.#perspective = perspective;
    this.#isEscaped = form === 'escaped';
    this.#opens = this.#shown(OPENS);
    this.#quote = this.#shown('"');
  }

  /** A payload as it is. */
  read(payload: string): Result<SideFrame> {
    const frame = this.scan(payload);
    if (frame !== undefined) return ok(frame);
    this.mayShowSpent = true;
    return parseOrderUpdate(payload, this.#perspective);
  }

  /** A payload in the form of this reader; undefined: it is not laid out as expected, and says whatever it says. */
  scan(text: string): SideFrame | undefined {
    const opens = text.indexOf(this.#opens);
    const start = opens + this.#opens.length;
    const known = opens < 0 ? undefined : this.#knownOf(text, start);
    const told = known === undefined ? undefined : this.#scan(text, start, known);
    if (known === undefined || told === undefined) return undefined;
    this.#keep(known, told);
    // the ladder leaves out rows with nothing left
    this.mayShowSpent = known.ladder.length < told.offers.length;
    return { ...known.frame, offers: known.ladder };
  }

  /** Plain JSON text in the form of this reader, and back; undefined: it is none. */
  #shown(plain: string): string {
    return this.#isEscaped ? JSON.stringify(plain).slice(1, -1) : plain;
  }

  #plain(shown: string): string | undefined {
    return this.#isEscaped ? (parsed(`"${shown}"`) as string | undefined) : shown;
  }

  #keep(known: Known, told: Told): void {
    this.#kept.delete(known);
    this.#kept.add(known);
    this.#keptText += told.text.length - (known.last?.text.length ?? 0);
    known.last = told;
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

  /** The frame without its rows must be a frame, and the rows must be what is missing in it. */
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

  /** The frame and, in `known`, its ladder; undefined when the text is not as expected. */
  #scan(text: string, start: number, known: Known): Told | undefined {
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
      builder.add(offer);
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
      // copies have no room to grow
      known.layouts = known.layouts.concat({ ...layout, texts, fields: layout.fields.slice() });
    }
    const offer = offerOf(rawOffer(json), this.#perspective);
    // what the ladder keeps is compared with text as it stands
    return typeof offer !== 'string' && isPlain(offer.id) && isPlain(offer.createdAt) && isPlain(offer.expiry ?? '')
      ? offer
      : undefined;
  }

  /** The values of a row in this layout; undefined when it is not laid out like this. */
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

  /** The offer of the ladder before whose id stands here: the next one, if nothing before it went. */
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

  /** The text up to the closing quote, which is left to the constant text that follows. */
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

  /** A JSON number whose digits a double holds exactly: then this is the double that JSON.parse reads. */
  #scanNumber(text: string): number | undefined {
    let at = this.#at;
    let code = text.charCodeAt(at);
    const isNegative = code === MINUS;
    if (isNegative) code = text.charCodeAt(++at);
    const first = at;
    let mantissa = 0;
    while (code >= ZERO && code <= NINE) {
      mantissa = mantissa * 10 + code - ZERO;
      code = text.charCodeAt(++at);
    }
    const whole = at - first;
    if (whole === 0 || (whole > 1 && text.charCodeAt(first) === ZERO)) return undefined;
    let decimals = 0;
    if (code === POINT) {
      code = text.charCodeAt(++at);
      while (code >= ZERO && code <= NINE) {
        mantissa = mantissa * 10 + code - ZERO;
        code = text.charCodeAt(++at);
        decimals += 1;
      }
      if (decimals === 0) return undefined;
    }
    // an exponent is no constant text, so the row is read otherwise then
    if (whole + decimals > EXACT_DIGITS) return undefined;
    this.#at = at;
    const value = mantissa / (POWERS[decimals] ?? Number.NaN);
    return isNegative ? -value : value;
  }
}

const startOf = ({ ends }: Told, row: number, first: number): number => (row === 0 ? first : (ends[row - 1] ?? 0) + 1);

/** The rows of the frame before that stand here again, as many as there are; undefined: none of the next few. */
function rowsAgain(text: string, at: number, last: Told, next: number, first: number): Run | undefined {
  const { ends } = last;
  const upTo = Math.min(ends.length, next + LOOK_AHEAD);
  for (let from = next; from < upTo; from++) {
    const start = startOf(last, from, first);
    const stands = (to: number): boolean => isAt(text, at, last.text.slice(start, ends[to - 1]));
    if (!stands(from + 1)) continue;
    // mostly all that is left, or all up to one that changed
    let [to, over] = [from + 1, ends.length + 1];
    for (let probe = ends.length; to + 1 < over; probe = (to + over) >>> 1)
      if (stands(probe)) to = probe;
      else over = probe;
    return { from, to };
  }
  return undefined;
}

/** Ten times as fast as `startsWith`, which compares letter by letter. */
const isAt = (text: string, at: number, expected: string): boolean => text.slice(at, at + expected.length) === expected;

const [COMMA, MINUS, POINT, ZERO, NINE, CLOSE] = [44, 45, 46, 48, 57, 93];
const EXACT_DIGITS = 15;
const POWERS: readonly number[] = Array.from({ length: EXACT_DIGITS + 1 }, (_none, n) => 10 ** n);

/** Text that stands in JSON as it is. */
const isPlain = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text);

/** A copy: a slice would keep the whole payload in memory. The text is plain, or a piece of valid JSON to be copied. */
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

/** How a row is laid out; undefined when it is not flat, names something twice, or tells numbers as text. */
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
    // what `bet` means when there is a `risk` too is for the slow path
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
