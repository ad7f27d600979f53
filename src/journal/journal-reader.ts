// Reads a journal: inputs with their commands and events. The chain is checked line by line.
import { createHash } from 'node:crypto';
import type { EventLine } from './event-lines.ts';
import { eventsOf } from './event-lines.ts';
import type { Command, RunEvent, StampedArrival } from '../domain/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from './journal.ts';
import { CHAIN_EVERY, FORMAT, isClosing } from './journal.ts';
import type { JournalPart } from './journal-parts.ts';
import { partsOf } from './journal-parts.ts';
import { isCutOff, unpackedLines } from './unpacked.ts';

export type JournalStep = {
  readonly input: StampedArrival;
  readonly commands: readonly Command[];
  /** Undefined for a journal of format 1, which has no events. */
  readonly events?: readonly RunEvent[] | undefined;
};
/** A step with events: from the journal, or produced by a replay of a journal without events. */
export type EventStep = JournalStep & { readonly events: readonly RunEvent[] };
export type Journal = { readonly header: JournalHeader; readonly steps: readonly JournalStep[] };

/** Where a journal breaks off: its run was killed or is still running, or a part is missing. */
export type Tear = {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
  /** `seq` is the last readable record, `verified` the last one that a chain record covers. */
  readonly seq: number;
  readonly verified: number;
};

export type JournalVisit = {
  readonly header?: (header: JournalHeader) => void;
  /** Called with the new header when configuration or strategies changed after record `seq`. */
  readonly reloaded?: (header: JournalHeader, seq: number) => void | Promise<void>;
  /** Called with each step in order. The reader keeps none of them. */
  readonly step: (step: JournalStep) => void;
  /** Called at the tear of a journal that breaks off. Without it such a journal is refused. */
  readonly torn?: (tear: Tear) => void;
  /** Called with the first record, when the first parts are gone. Without it such a journal is refused. */
  readonly begins?: (seq: number) => void;
  /** The last record to read. */
  readonly upTo?: number;
  /** Price frames are read without their payload, which is most of a journal: their `data` is empty. */
  readonly withoutPrices?: true;
  /** Called with the bytes of its files read so far. */
  readonly progress?: (bytes: number) => void;
};

type Line = {
  readonly journal?: unknown;
  readonly seq?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly ev?: unknown;
  readonly chain?: unknown;
  readonly next?: unknown;
};

/**
 * Reads a whole journal into memory.
 * @throws OddsmakerError JOURNAL_INVALID when it is torn or was changed
 */
export async function readJournal(file: string): Promise<Journal> {
  let header: JournalHeader | undefined;
  const steps: JournalStep[] = [];
  await scanJournal(file, {
    header: (first) => {
      header = first;
    },
    step: (step) => steps.push(step),
  });
  // a successful scan always has a header
  return { header: header as JournalHeader, steps };
}

/**
 * Reads a journal of any size step by step, with all its parts, whichever of them is named.
 * @throws OddsmakerError JOURNAL_INVALID when the journal was changed, is torn without `visit.torn`, or lacks
 * its beginning without `visit.begins`
 */
export async function scanJournal(file: string, visit: JournalVisit): Promise<void> {
  const scan = new Scanner(visit);
  let [part] = partsOf(file);
  while (part !== undefined) {
    const { number } = part;
    if (!(await scan.read(part))) return;
    // looked up again: its run may have packed a part or begun another one meanwhile
    part = partsOf(file).find((candidate) => candidate.number === number + 1);
  }
  scan.endScan();
}

class Scanner {
  readonly #visit: JournalVisit;
  readonly #upTo: number;
  #part: JournalPart = { number: 0, file: '' };
  #line = 0;
  #hash = createHash('sha256');
  #format: number = FORMAT;
  #step:
    | {
        readonly input: StampedArrival;
        /** Undefined while no line with its commands or events was read. */
        out: { readonly commands: readonly Command[]; readonly events: readonly RunEvent[] } | undefined;
      }
    | undefined;
  #seq = 0;
  #verified = 0;
  /** True when the line before is a chain record or a header. */
  #isBetween = false;
  /** The last chain record. Undefined once another line follows. */
  #chain: { readonly text: string; readonly next: unknown; readonly isClosing: boolean } | undefined;
  /** True when the packed file of the part is cut off. */
  #isCut = false;
  /** Bytes of the parts before. */
  #bytes = 0;

  constructor(visit: JournalVisit) {
    this.#visit = visit;
    this.#upTo = visit.upTo ?? Number.POSITIVE_INFINITY;
  }

  /** Reads a part. False when no further part is to be read. */
  async read(part: JournalPart): Promise<boolean> {
    const before = this.#part;
    this.#part = part;
    this.#line = 0;
    this.#hash = createHash('sha256');
    let broken: number | undefined;
    for await (const bytes of this.#lines()) {
      // only the last line of a file can be torn: when more follows, the file was changed
      if (broken !== undefined) throw invalid(part.file, broken, 'not JSON, and more follows: the journal was changed');
      if (this.#line > 0 && this.#chain?.next !== undefined)
        throw this.#invalid('this part of the journal had ended, and more follows: it was changed');
      this.#line += 1;
      const line = this.#visit.withoutPrices === true ? (priceFrame(bytes) ?? parse(bytes)) : parse(bytes);
      if (line === undefined) {
        if (this.#visit.torn === undefined || (this.#line === 1 && before.number === 0))
          throw this.#invalid('not JSON: the journal is torn here');
        broken = this.#line;
        continue;
      }
      if (this.#line === 1) this.#begin(line, before);
      else if (line.chain !== undefined) this.#check(line);
      else if (isHeader(line)) await this.#reload(line as unknown as JournalHeader);
      else if (this.#record(line)) return false;
      this.#hash.update(bytes).update('\n');
    }
    if (this.#line === 0 && before.number === 0)
      throw invalid(part.file, 1, this.#isCut ? 'the file is cut off in its first line' : 'the file is empty');
    const isTorn = broken !== undefined || this.#line === 0 || this.#isCut;
    if (!isTorn && this.#chain?.next !== undefined) return true;
    this.#end(
      isTorn
        ? 'the journal is torn here'
        : this.#chain?.isClosing === true
          ? undefined
          : 'the closing record is missing: the journal is torn',
    );
    return false;
  }

  /** Ends the scan after the last available part, when another one should follow. */
  endScan(): void {
    const { number } = this.#part;
    this.#end(`part ${number + 1} of the journal should follow, and is missing`);
  }

  async *#lines(): AsyncGenerator<Buffer> {
    const { file } = this.#part;
    try {
      let read = 0;
      yield* unpackedLines(file, (bytes) => {
        read = bytes;
        this.#visit.progress?.(this.#bytes + read);
      });
      this.#bytes += read;
    } catch (error) {
      this.#isCut = isCutOff(error) && this.#visit.torn !== undefined;
      if (!this.#isCut) throw invalid(file, this.#line, `the file cannot be read: ${messageOf(error)}`);
    }
  }

  #begin(line: Line, before: JournalPart): void {
    if (!isHeader(line)) {
      const isNewer = typeof line.journal === 'number' && line.journal > FORMAT;
      throw this.#invalid(
        isNewer
          ? `a journal of format ${line.journal}, which a newer version wrote: this one reads up to ${FORMAT}`
          : 'not a journal: the first line is no journal header',
      );
    }
    this.#format = line.journal;
    const header = line as unknown as JournalHeader;
    const { after } = header;
    const number = (after?.part ?? 0) + 1;
    if (number !== this.#part.number)
      throw this.#invalid(`this is part ${number} of a journal, and its name says ${this.#part.number}`);
    if (before.number === 0) {
      if (after !== undefined) this.#beginAfter(after.seq);
      this.#visit.header?.(header);
    } else if (after?.chain !== this.#chain?.text || after?.seq !== this.#seq)
      throw this.#invalid(`this part does not follow on ${before.file}: one of them was changed`);
    this.#chain = undefined;
    this.#isBetween = true;
  }

  async #reload(header: JournalHeader): Promise<void> {
    this.#emitStep();
    this.#chain = undefined;
    this.#isBetween = true;
    await this.#visit.reloaded?.(header, this.#seq);
  }

  #beginAfter(seq: number): void {
    if (this.#visit.begins === undefined)
      throw this.#invalid(`this part begins behind record ${seq}, and the one before it is missing`);
    this.#seq = seq;
    this.#verified = seq;
    this.#visit.begins(seq + 1);
  }

  #check({ seq, chain, next }: Line): void {
    if (seq !== this.#seq || (next !== undefined && next !== this.#part.number + 1))
      throw this.#invalid('this chain record belongs elsewhere: the journal was changed');
    const text = this.#hash.copy().digest('hex');
    if (chain !== text) throw this.#invalid('the chain does not match: something before was changed');
    this.#chain = { text, next, isClosing: isClosing(this.#seq, this.#isBetween) };
    this.#isBetween = true;
    this.#verified = this.#seq;
    this.#emitStep();
  }

  /** Reads a line with an input, or with commands and events. True when `upTo` is reached. */
  #record(line: Line): boolean {
    if (line.in !== undefined) {
      const seq = this.#seq;
      if (line.seq !== seq + 1) throw this.#invalid(`record ${seq + 1} is missing`);
      // a tear cannot remove a single chain record, since it loses everything after it too
      if (seq % CHAIN_EVERY === 0 && this.#verified !== seq)
        throw this.#invalid(`the chain record behind record ${seq} is missing: the journal was changed`);
      this.#emitStep();
      if (seq >= this.#upTo) return true;
      this.#seq += 1;
      this.#step = { input: line as unknown as StampedArrival, out: undefined };
    } else if (line.out !== undefined || line.ev !== undefined) {
      if (this.#step === undefined || this.#step.input.seq !== line.seq)
        throw this.#invalid('commands without their input');
      const { out = NONE, ev = NONE } = line as {
        readonly out?: readonly Command[];
        readonly ev?: readonly EventLine[];
      };
      this.#step.out = { commands: out, events: ev.length === 0 ? NONE : this.#eventsIn(ev, out) };
    } else throw this.#invalid('not a journal record');
    this.#chain = undefined;
    this.#isBetween = false;
    return false;
  }

  /** Restores the events of a record. Throws JOURNAL_INVALID when its commands have an unexpected shape. */
  #eventsIn(lines: readonly EventLine[], commands: readonly Command[]): readonly RunEvent[] {
    try {
      return eventsOf(lines, commands);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw this.#invalid(`record ${this.#seq} is none that this version writes: ${error.message}`);
    }
  }

  #emitStep(): void {
    if (this.#step !== undefined) {
      const { input, out: { commands, events } = NOTHING } = this.#step;
      this.#visit.step({ input, commands, events: this.#format === 1 ? undefined : events });
    }
    this.#step = undefined;
  }

  /** Ends the scan. `problem` says why the journal is torn here. Undefined when it ended regularly. */
  #end(problem: string | undefined): void {
    if (problem !== undefined && this.#step !== undefined && this.#step.out === undefined) {
      // the last input is dropped, because its commands may be lost
      this.#step = undefined;
      this.#seq -= 1;
    }
    this.#emitStep();
    if (problem === undefined) return;
    if (this.#visit.torn === undefined) throw this.#invalid(problem);
    const [file, line] = [this.#part.file, Math.max(1, this.#line)];
    this.#visit.torn({ file, line, problem, seq: this.#seq, verified: this.#verified });
  }

  #invalid(problem: string): OddsmakerError {
    return invalid(this.#part.file, Math.max(1, this.#line), problem);
  }
}

const NONE: readonly never[] = Object.freeze([]);
const NOTHING = { commands: NONE, events: NONE };

/** Whether a line is a header: the first line, or a later one after a configuration change. */
const isHeader = (line: Line): line is Line & { readonly journal: number } =>
  line.journal === 1 || line.journal === FORMAT;

const invalid = (file: string, line: number, problem: string): OddsmakerError =>
  new OddsmakerError('JOURNAL_INVALID', `${file}:${line}: ${problem}`);

const PRICE_FRAME =
  /^\{"seq":\d+,"t":[\d.]+,"mono":[\d.]+,"in":\{"type":"frame","feed":"prices","epoch":\d+,"event":"\w+","data":"/;
const MOST_BEFORE_DATA = 200;
const END = Buffer.from('"}}');
const BACKSLASH = 92;

/** The line of a price frame without its payload. Undefined for another line, and for one that is cut off. */
function priceFrame(bytes: Buffer): Line | undefined {
  const [start] = PRICE_FRAME.exec(bytes.toString('latin1', 0, MOST_BEFORE_DATA)) ?? [];
  const end = bytes.length - END.length;
  if (start === undefined || end < start.length || !bytes.subarray(end).equals(END)) return undefined;
  // an escaped quotation mark ends no text
  return bytes[end - 1] === BACKSLASH ? undefined : (JSON.parse(`${start}"}}`) as Line);
}

/** The parsed line. Undefined when it is not JSON. */
function parse(bytes: Buffer): Line | undefined {
  try {
    // other values than objects have none of the fields
    return Object(JSON.parse(bytes.toString())) as Line;
  } catch {
    return undefined;
  }
}
