// Reads a journal back: inputs with the commands they caused, the chain checked line by line.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Command, StampedInput } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from './journal.ts';

export type JournalStep = { readonly input: StampedInput; readonly commands: readonly Command[] };
export type Journal = { readonly header: JournalHeader; readonly steps: readonly JournalStep[] };

type Line = {
  readonly journal?: unknown;
  readonly seq?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly chain?: unknown;
};

/** @throws OddsmakerError JOURNAL_INVALID when the journal is torn or was changed */
export async function readJournal(file: string): Promise<Journal> {
  const fail = (line: number, what: string): OddsmakerError =>
    new OddsmakerError('JOURNAL_INVALID', `${file}:${line}: ${what}`);
  const hash = createHash('sha256');
  const steps: { input: StampedInput; commands: readonly Command[] }[] = [];
  let header: JournalHeader | undefined;
  let number = 0;
  let ended = false;
  for await (const bytes of linesOf(file, fail)) {
    number += 1;
    const text = bytes.toString();
    let line: Line;
    try {
      // anything but an object has none of the fields looked for below
      line = Object(JSON.parse(text)) as Line;
    } catch {
      throw fail(number, 'not JSON: the journal is torn here');
    }
    ended = false;
    if (number === 1) {
      if (line.journal !== 1) throw fail(1, 'not a journal: the first line is no journal header');
      header = line as unknown as JournalHeader;
    } else if (line.chain !== undefined) {
      if (line.chain !== hash.copy().digest('hex'))
        throw fail(number, 'the chain does not match: something before was changed');
      ended = true;
    } else if (line.in !== undefined) {
      const last = steps.at(-1)?.input.seq ?? 0;
      if (line.seq !== last + 1) throw fail(number, `record ${last + 1} is missing`);
      steps.push({ input: line as unknown as StampedInput, commands: [] });
    } else if (line.out !== undefined) {
      const step = steps.at(-1);
      if (step === undefined || step.input.seq !== line.seq)
        throw fail(number, 'commands without their input');
      step.commands = line.out as readonly Command[];
    } else throw fail(number, 'not a journal record');
    hash.update(bytes).update('\n');
  }
  if (header === undefined) throw fail(1, 'the file is empty');
  if (!ended) throw fail(number, 'the closing record is missing: the journal is torn');
  return { header, steps };
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
