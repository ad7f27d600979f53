// Reads a tape, or a journal as one: NDJSON, plain or packed by file ending (.gz, .zst), as a stream. Every frame carries
// its line number. What is not a tape ends with TAPE_INVALID and the line: bad JSON, a line that is no record, a tail torn
// off. Frames before that line have been delivered.
import {
  isUnixMs,
  messageOf,
  OddsmakerError,
  SIGNAL_LINE,
  systemCodeOf,
  unixMsProblem,
  WrongUnit,
} from '../domain/index.ts';
import { isRecord } from '../wire/index.ts';
import type { Json } from '../wire/index.ts';
import type { TapeRecord } from './journal-tape.ts';
import { JournalTape } from './journal-tape.ts';
import { FORMAT, isCutOff, userChunks } from '../journal/index.ts';

/** One line of a tape, and its number. */
export type TapeFrame = TapeRecord & { readonly line: number };

/** A line of the book of one side as recorders write it, its payload as it stands there: with a backslash before each quote. */
export type SideLine = { readonly ts: number; readonly ns: string; readonly escaped: string };

export type ReadTapeOptions = {
  /** Called with the header, when the first line is one. */
  readonly onHeader?: (header: Json) => void;
  /** Told of each line that is left out, as `file:line: what is wrong`; without it the first one ends the reading. */
  readonly skipped?: ((problem: string) => void) | undefined;
  /** Told of a tail torn off, as by a kill: the end of the tape then. Without it, that is one more line that is wrong. */
  readonly torn?: ((problem: string) => void) | undefined;
  /** Told how many bytes of the file were read so far. */
  readonly progress?: ((bytes: number) => void) | undefined;
};

/** Longer lines are no tape: a book of a thousand games has a few megabytes. */
const MAX_LINE = 64 * 1024 * 1024;
const NEWLINE = 10;
/** Clocks are set back by less; further back, lines are in no order. */
const MAX_BACK_MS = 10_000;

/** Frame by frame. @throws OddsmakerError TAPE_INVALID */
export async function* readTape(file: string, options: ReadTapeOptions = {}): AsyncGenerator<TapeFrame, void, void> {
  for await (const frames of readTapeInBatches(file, options)) yield* frames;
}

/**
 * As many frames at a time as one piece of the file has. `readSide` is shown most lines before they are read as JSON, which
 * costs more than all else; what it makes of one stands in the place of the frame, and what it makes nothing of is read.
 * @throws OddsmakerError TAPE_INVALID, after what came before
 */
export async function* readTapeInBatches<Side = never>(
  file: string,
  options: ReadTapeOptions = {},
  readSide?: (line: SideLine) => Side | undefined,
): AsyncGenerator<readonly (TapeFrame | Side)[], void, void> {
  const source = userChunks(file, options.progress);
  let rest: Buffer[] = [];
  const lines = new Lines(file, options, readSide);
  let line = 0;
  let started = false;
  let frames: (TapeFrame | Side)[] = [];
  const left = (error: unknown, isTear: boolean): void => {
    const told =
      error instanceof OddsmakerError ? error : tapeError(file, line + 1, streamProblem(error, started), error);
    const report = (isTear ? options.torn : undefined) ?? options.skipped;
    if (report === undefined || told instanceof WrongUnit) throw told;
    report(told.message);
  };
  const read = (text: string, isTail: boolean): void => {
    line++;
    try {
      const frame = lines.read(line, text);
      if (frame !== undefined) frames.push(frame);
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      left(error, isTail);
    }
  };
  try {
    for await (const chunk of source) {
      started = true;
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        if (rest.length === 0) read(chunk.toString('utf8', from, end), false);
        else {
          rest.push(chunk.subarray(from, end));
          read(Buffer.concat(rest).toString('utf8'), false);
          rest = [];
        }
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
      if (rest.reduce((sum, { length }) => sum + length, 0) > MAX_LINE)
        throw tapeError(file, line + 1, 'this line is too long for a tape');
      if (frames.length > 0) yield frames;
      frames = [];
    }
    if (rest.length > 0) read(Buffer.concat(rest).toString('utf8'), true);
    else if (line === 0) left(tapeError(file, 1, 'the file is empty'), true);
    if (frames.length > 0) yield frames;
  } catch (error) {
    const before = frames;
    frames = [];
    if (before.length > 0) yield before;
    left(error, isCutOff(error));
  }
}

class Lines<Side> {
  readonly #file: string;
  readonly #options: ReadTapeOptions;
  readonly #readSide: ((line: SideLine) => Side | undefined) | undefined;
  #journal: JournalTape | undefined;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** How lines of the books go on behind the time, up to the payload; undefined: none was read yet. */
  #sideLines: { readonly ns: string; readonly middle: string } | undefined;

  constructor(file: string, options: ReadTapeOptions, readSide: ((line: SideLine) => Side | undefined) | undefined) {
    this.#file = file;
    this.#options = options;
    this.#readSide = readSide;
  }

  /** @throws OddsmakerError TAPE_INVALID */
  read(line: number, told: string): TapeFrame | Side | undefined {
    const text = told.charCodeAt(told.length - 1) === RETURN ? told.slice(0, -1) : told;
    if (text === '') return undefined;
    const side = this.#readAsSide(text);
    if (side !== undefined) return side;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw tapeError(this.#file, line, 'this line is not JSON, or is torn off');
    }
    if (!isRecord(json)) throw tapeError(this.#file, line, 'this line is not a tape record');
    if (line === 1 && this.#isHeader(json)) return undefined;
    const record = this.#journal === undefined ? recordIn(json) : this.#journal.read(json);
    if (typeof record === 'string') throw tapeError(this.#file, line, record);
    if (record === undefined) return undefined;
    const { ts, ns, event } = record;
    // without such lines nothing would be left, or the hours between them would be seconds
    if (!isUnixMs(ts)) throw new WrongUnit('TAPE_INVALID', `${this.#file}:${line}: ${unixMsProblem('ts', ts)}`);
    if (this.#isFarBack(ts)) {
      const seconds = Math.round((this.#latestMs - ts) / 1000);
      throw tapeError(
        this.#file,
        line,
        `"ts" is ${seconds} s before a line above: sort the tape, or give its parts as tapes of their own`,
      );
    }
    this.#latestMs = Math.max(this.#latestMs, ts);
    if (event === 'orderUpdate') this.#noteSideLine(ns);
    return { ...record, line };
  }

  /** Lines of a journal are laid out differently. */
  #noteSideLine(ns: string): void {
    if (this.#readSide === undefined || this.#journal !== undefined || ns === this.#sideLines?.ns) return;
    this.#sideLines = { ns, middle: middleOf(ns) };
  }

  #isFarBack(ts: number): boolean {
    return ts < this.#latestMs - MAX_BACK_MS;
  }

  /** What can be made of a line without reading it as JSON; undefined: it may be anything. */
  #readAsSide(text: string): Side | undefined {
    const readSide = this.#readSide;
    if (readSide === undefined || this.#sideLines === undefined || !text.startsWith(OPENS)) return undefined;
    const { ns, middle } = this.#sideLines;
    const comma = text.indexOf(',', OPENS.length);
    const from = comma + middle.length;
    const digits = text.slice(OPENS.length, comma);
    // a quote with a backslash before it is the payload's own
    const end = text.length - CLOSES.length;
    // of a line that is torn off, the quote that opens the payload is none that closes it
    const isWhole = from <= end && text.endsWith(CLOSES) && text.charCodeAt(end - 1) !== BACKSLASH;
    if (!isWhole || !DIGITS.test(digits) || text.slice(comma, from) !== middle) return undefined;
    const ts = Number(digits);
    if (this.#isFarBack(ts) || !isUnixMs(ts)) return undefined;
    const side = readSide({ ts, ns, escaped: text.slice(from, -CLOSES.length) });
    if (side !== undefined) this.#latestMs = Math.max(this.#latestMs, ts);
    return side;
  }

  #isHeader(json: Json): boolean {
    const { tape, journal } = json;
    if (tape === undefined && journal === undefined) return false;
    const [kind, version] = tape === undefined ? ['journal', journal] : ['tape', tape];
    const newest = kind === 'tape' ? 1 : FORMAT;
    if (version !== 1 && version !== newest) {
      const known = newest === 1 ? 'only 1 is' : `only 1 to ${newest} are`;
      throw tapeError(this.#file, 1, `${kind} version ${JSON.stringify(version)} is not known, ${known}`);
    }
    this.#journal = kind === 'journal' ? new JournalTape(json) : undefined;
    this.#options.onHeader?.(this.#journal?.header ?? json);
    return true;
  }
}

const [RETURN, BACKSLASH] = [13, 92];
const OPENS = '{"ts":';
const CLOSES = '"}';
/** Milliseconds as recorders write them. */
const DIGITS = /^[1-9]\d{0,12}$/;
const middleOf = (ns: string): string =>
  `,${JSON.stringify({ ns, event: 'orderUpdate', data: '' }).slice(1, -CLOSES.length)}`;

/** One record of a tape, or what is wrong with it. */
function recordIn({ ts, ns, event, data, sent }: Json): TapeRecord | string {
  if (typeof ts !== 'number' || !Number.isFinite(ts))
    return 'this line is not a tape record: "ts" must be milliseconds';
  if (typeof ns !== 'string' || typeof event !== 'string')
    return 'this line is not a tape record: "ns" and "event" must be text';
  const payload = payloadOf(data, ns, event);
  if (payload === undefined) return 'this line is not a tape record: "data" must be the payload as text';
  const record = { ts, ns, event, data: payload };
  return typeof sent === 'number' && Number.isFinite(sent) ? { ...record, sent } : record;
}

/** Feed payloads are text. A REST body and signals may have been written as JSON, and a disconnect may have no reason. */
function payloadOf(data: unknown, ns: string, event: string): string | undefined {
  if (typeof data === 'string') return data;
  if (event === 'connect' || event === 'disconnect') return data === undefined || data === null ? '' : undefined;
  const isOurs = ns === 'rest' || ns === SIGNAL_LINE.ns;
  return isOurs && data !== undefined ? JSON.stringify(data) : undefined;
}

const tapeError = (file: string, line: number, problem: string, cause?: unknown): OddsmakerError =>
  new OddsmakerError('TAPE_INVALID', `${file}:${line}: ${problem}`, cause === undefined ? undefined : { cause });

function streamProblem(error: unknown, started: boolean): string {
  const code = systemCodeOf(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a directory, not a tape';
  if (code === 'EACCES') return 'this file may not be read';
  if (isCutOff(error)) return 'the packed file ends in the middle: it is torn off';
  const said = messageOf(error);
  if (String(code).startsWith('Z') || said.includes('zstd'))
    return started ? `the packed file is damaged (${said})` : `this is not packed as its name says (${said})`;
  return said;
}
