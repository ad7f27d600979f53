// Reads a journal back: inputs with the commands they caused, the chain checked line by line.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Command, StampedInput } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from './journal.ts';
import { CHAIN_EVERY } from './journal.ts';

export type JournalStep = { readonly input: StampedInput; readonly commands: readonly Command[] };
export type Journal = { readonly header: JournalHeader; readonly steps: readonly JournalStep[] };

/** Where a journal breaks off: its run was killed, or goes on. */
export type Tear = {
  readonly line: number;
  readonly problem: string;
  /** The last record that could be read, and the last one that a chain record covers. */
  readonly seq: number;
  readonly verified: number;
};

export type JournalVisit = {
  readonly header?: (header: JournalHeader) => void;
  /** Every input with its commands, in order; they may be forgotten at once. */
  readonly step: (step: JournalStep) => void;
  /** A journal that breaks off is read up to there, and this is told; without it, such a journal is refused. */
  readonly torn?: (tear: Tear) => void;
  /** Nothing is read after this record. */
  readonly upTo?: number;
};

type Line = {
  readonly journal?: unknown;
  readonly seq?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly chain?: unknown;
};

/** @throws OddsmakerError JOURNAL_INVALID when the journal is torn or was changed */
export async function readJournal(file: string): Promise<Journal> {
  let header: JournalHeader | undefined;
  const steps: JournalStep[] = [];
  await scanJournal(file, {
    header: (told) => {
      header = told;
    },
    step: (step) => steps.push(step),
  });
  // a scan that ends well has told of one
  return { header: header as JournalHeader, steps };
}

/**
 * Reads a journal of any size, one step after the other.
 * @throws OddsmakerError JOURNAL_INVALID when the journal was changed; or is torn, and nobody asks for what is before
 */
export async function scanJournal(file: string, visit: JournalVisit): Promise<void> {
  const fail = (line: number, what: string): OddsmakerError =>
    new OddsmakerError('JOURNAL_INVALID', `${file}:${line}: ${what}`);
  const hash = createHash('sha256');
  const upTo = visit.upTo ?? Number.POSITIVE_INFINITY;
  let step: { readonly input: StampedInput; commands: readonly Command[] } | undefined;
  let number = 0;
  let seq = 0;
  let verified = 0;
  let ended = false;
  let isChained = false;
  let broken: number | undefined;
  for await (const bytes of linesOf(file, fail)) {
    // only the last line of a file can be torn: whatever goes on behind it was changed
    if (broken !== undefined) throw fail(broken, 'not JSON, and more follows: the journal was changed');
    number += 1;
    const line = parse(bytes);
    if (line === undefined) {
      if (visit.torn === undefined || number === 1) throw fail(number, 'not JSON: the journal is torn here');
      broken = number;
      continue;
    }
    const isChainedBefore = isChained;
    isChained = line.chain !== undefined;
    ended = false;
    if (number === 1) {
      if (line.journal !== 1) throw fail(1, 'not a journal: the first line is no journal header');
      visit.header?.(line as unknown as JournalHeader);
    } else if (line.chain !== undefined) {
      if (line.chain !== hash.copy().digest('hex'))
        throw fail(number, 'the chain does not match: something before was changed');
      // the closing record comes behind a regular one too: whatever ends with a regular one alone was cut off there
      ended = isChainedBefore || seq % CHAIN_EVERY !== 0 || seq === 0;
      verified = seq;
    } else if (line.in !== undefined) {
      if (line.seq !== seq + 1) throw fail(number, `record ${seq + 1} is missing`);
      // a tear takes what comes behind it as well
      if (seq > 0 && seq % CHAIN_EVERY === 0 && verified !== seq)
        throw fail(number, `the chain record behind record ${seq} is missing: the journal was changed`);
      if (step !== undefined) visit.step(step);
      step = undefined;
      if (seq === upTo) return;
      seq += 1;
      step = { input: line as unknown as StampedInput, commands: [] };
    } else if (line.out !== undefined) {
      if (step === undefined || step.input.seq !== line.seq)
        throw fail(number, 'commands without their input');
      step.commands = line.out as readonly Command[];
    } else throw fail(number, 'not a journal record');
    hash.update(bytes).update('\n');
  }
  if (number === 0) throw fail(1, 'the file is empty');
  if (step !== undefined) visit.step(step);
  if (ended && broken === undefined) return;
  const problem =
    broken === undefined ? 'the closing record is missing: the journal is torn' : 'the journal is torn here';
  if (visit.torn === undefined) throw fail(number, problem);
  visit.torn({ line: number, problem, seq, verified });
}

/** Undefined: not JSON. */
function parse(bytes: Buffer): Line | undefined {
  try {
    // anything but an object has none of the fields looked for
    return Object(JSON.parse(bytes.toString())) as Line;
  } catch {
    return undefined;
  }
}

/** The lines of a file as bytes: split at the newline alone, since payloads may hold every other separator. */
async function* linesOf(
  file: string,
  fail: (line: number, what: string) => OddsmakerError,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        const piece = chunk.subarray(from, at);
        yield rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        rest = Buffer.alloc(0);
        from = at + 1;
      }
      rest = Buffer.concat([rest, chunk.subarray(from)]);
    }
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    throw fail(0, `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (rest.length > 0) yield rest;
}
