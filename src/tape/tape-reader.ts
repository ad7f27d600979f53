// Streams a tape, or a journal as one: NDJSON, plain or packed by file ending (.gz, .zst). Every frame
// carries its line number. Invalid input ends with TAPE_INVALID and the line: bad JSON, a line that is no
// record, a tail torn off. Frames before that line have been delivered.
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

/** One record of a tape with its line number. */
export type TapeFrame = TapeRecord & {
  /** The number of its line in the file, from 1. */
  readonly line: number;
};

/** An `orderUpdate` line as recorders write it, its payload still escaped: a backslash before each quote. */
export type SideLine = { readonly ts: number; readonly ns: string; readonly escaped: string };

export type ReadTapeOptions = {
  /** Called with the header, when the first line is one. */
  readonly onHeader?: (header: Json) => void;
  /** Receives `file:line: problem` for each line that is left out. Without it the first such line throws. */
  readonly skipped?: ((problem: string) => void) | undefined;
  /**
   * Receives the problem of a tail torn off, e.g. by a kill, which then ends the tape. Without it, the tail
   * is one more bad line.
   */
  readonly torn?: ((problem: string) => void) | undefined;
  /** Receives the number of bytes of the file read so far. */
  readonly progress?: ((bytes: number) => void) | undefined;
};

/** A longer line is not of a tape: a book of a thousand games has a few megabytes. */
const MAX_LINE = 64 * 1024 * 1024;
const NEWLINE = 10;
/** Clocks are set back by less. A line further back than this is out of order. */
const MAX_BACK_MS = 10_000;

/**
 * Reads a tape frame by frame.
 * @param file the path of the tape; `.gz` and `.zst` are unpacked
 * @param options what to do with lines that cannot be read
 * @returns the frames in the order of the file
 * @throws OddsmakerError TAPE_INVALID
 */
export async function* readTape(file: string, options: ReadTapeOptions = {}): AsyncGenerator<TapeFrame, void, void> {
  for await (const frames of readTapeInBatches(file, options)) yield* frames;
}

/**
 * Yields the frames of one chunk of the file at a time. `readSide` gets most order book lines before they are
 * parsed as JSON, the most expensive part. Its result replaces the frame; where it returns undefined, the
 * line is parsed.
 * @throws OddsmakerError TAPE_INVALID, after the frames before that line
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
  const handle = (error: unknown, isTear: boolean): void => {
    const invalid =
      error instanceof OddsmakerError ? error : tapeError(file, line + 1, streamProblem(error, started), error);
    const report = (isTear ? options.torn : undefined) ?? options.skipped;
    if (report === undefined || invalid instanceof WrongUnit) throw invalid;
    report(invalid.message);
  };
  const read = (text: string, isTail: boolean): void => {
    line++;
    try {
      const frame = lines.read(line, text);
      if (frame !== undefined) frames.push(frame);
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      handle(error, isTail);
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
    else if (line === 0) handle(tapeError(file, 1, 'the file is empty'), true);
    if (frames.length > 0) yield frames;
  } catch (error) {
    const before = frames;
    frames = [];
    if (before.length > 0) yield before;
    handle(error, isCutOff(error));
  }
}

class Lines<Side> {
  readonly #file: string;
  readonly #options: ReadTapeOptions;
  readonly #readSide: ((line: SideLine) => Side | undefined) | undefined;
  #journal: JournalTape | undefined;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** The text of `orderUpdate` lines between the time and the payload. Undefined until one was parsed. */
  #sideLines: { readonly ns: string; readonly middle: string } | undefined;

  constructor(file: string, options: ReadTapeOptions, readSide: ((line: SideLine) => Side | undefined) | undefined) {
    this.#file = file;
    this.#options = options;
    this.#readSide = readSide;
  }

  /** Reads one line. Undefined when it has no frame, as a header. @throws OddsmakerError TAPE_INVALID */
  read(line: number, raw: string): TapeFrame | Side | undefined {
    const text = raw.charCodeAt(raw.length - 1) === RETURN ? raw.slice(0, -1) : raw;
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
    // if they were left out, nothing might be left, or hours between them would become seconds
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

  /** Learns the layout of `orderUpdate` lines. Lines of a journal have another layout. */
  #noteSideLine(ns: string): void {
    if (this.#readSide === undefined || this.#journal !== undefined || ns === this.#sideLines?.ns) return;
    this.#sideLines = { ns, middle: middleOf(ns) };
  }

  #isFarBack(ts: number): boolean {
    return ts < this.#latestMs - MAX_BACK_MS;
  }

  /** Decodes an `orderUpdate` line without parsing it as JSON. Undefined: the line may be anything. */
  #readAsSide(text: string): Side | undefined {
    const readSide = this.#readSide;
    if (readSide === undefined || this.#sideLines === undefined || !text.startsWith(PREFIX)) return undefined;
    const { ns, middle } = this.#sideLines;
    const comma = text.indexOf(',', PREFIX.length);
    const from = comma + middle.length;
    const digits = text.slice(PREFIX.length, comma);
    // a quote after a backslash belongs to the payload
    const end = text.length - SUFFIX.length;
    // in a torn line the quote that opens the payload must not count as the one that closes it
    const isWhole = from <= end && text.endsWith(SUFFIX) && text.charCodeAt(end - 1) !== BACKSLASH;
    if (!isWhole || !DIGITS.test(digits) || text.slice(comma, from) !== middle) return undefined;
    const ts = Number(digits);
    if (this.#isFarBack(ts) || !isUnixMs(ts)) return undefined;
    const side = readSide({ ts, ns, escaped: text.slice(from, -SUFFIX.length) });
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
const PREFIX = '{"ts":';
const SUFFIX = '"}';
/** Digits of a time in ms as recorders write it. */
const DIGITS = /^[1-9]\d{0,12}$/;
const middleOf = (ns: string): string =>
  `,${JSON.stringify({ ns, event: 'orderUpdate', data: '' }).slice(1, -SUFFIX.length)}`;

/** One record of a tape, or a text that says what is wrong with it. */
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

/**
 * The payload as text, or undefined when it has a wrong type. Feed payloads are text; a REST body and signals
 * may be JSON, and a disconnect may have no reason.
 */
function payloadOf(data: unknown, ns: string, event: string): string | undefined {
  if (typeof data === 'string') return data;
  if (event === 'connect' || event === 'disconnect') return data === undefined || data === null ? '' : undefined;
  const mayBeJson = ns === 'rest' || ns === SIGNAL_LINE.ns;
  return mayBeJson && data !== undefined ? JSON.stringify(data) : undefined;
}

const tapeError = (file: string, line: number, problem: string, cause?: unknown): OddsmakerError =>
  new OddsmakerError('TAPE_INVALID', `${file}:${line}: ${problem}`, cause === undefined ? undefined : { cause });

function streamProblem(error: unknown, started: boolean): string {
  const code = systemCodeOf(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a directory, not a tape';
  if (code === 'EACCES') return 'this file may not be read';
  if (isCutOff(error)) return 'the packed file ends in the middle: it is torn off';
  const message = messageOf(error);
  if (String(code).startsWith('Z') || message.includes('zstd'))
    return started ? `the packed file is damaged (${message})` : `this is not packed as its name says (${message})`;
  return message;
}
