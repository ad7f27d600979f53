// Journals that a backtest is told to read: of the run that its tapes recorded, and of one that measures latency.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { RealRun } from '../backtest/calibration.ts';
import { RealFills } from '../backtest/calibration.ts';
import type { Latency } from '../backtest/latency.ts';
import { DEFAULT_LATENCY, MeasuredLatency, parseLatency } from '../backtest/latency.ts';
import { OddsmakerError } from '../domain/index.ts';
import { partsOf } from '../record/journal-parts.ts';
import { scanJournal } from '../record/journal-reader.ts';
import { unpackedChunks } from '../record/unpacked.ts';
import { tellBeginning } from './journals.ts';

/** Of all its parts, one behind the other, as they were before they were packed. */
export async function namedJournal(
  file: string,
): Promise<{ readonly file: string; readonly sha256: string }> {
  const hash = createHash('sha256');
  for (const part of partsOf(file)) for await (const chunk of unpackedChunks(part.file)) hash.update(chunk);
  return { file, sha256: hash.digest('hex') };
}

/** @throws OddsmakerError JOURNAL_INVALID when the journal tells of nothing */
export async function realRunOf(journal: string): Promise<RealRun> {
  const told = new RealFills();
  await scanJournal(journal, {
    step: (step) => told.applyStep(step),
    torn: () => undefined,
    begins: tellBeginning(journal),
  });
  const { run } = told;
  if (run !== undefined) return run;
  throw new OddsmakerError('JOURNAL_INVALID', `${journal}: this journal tells of nothing`);
}

export async function latencyOf(
  text: string | undefined,
): Promise<{ readonly model: Latency; readonly text: string; readonly journal?: string }> {
  if (text === undefined) return { model: DEFAULT_LATENCY, text: '80ms±30ms' };
  const model = parseLatency(text);
  if (model !== undefined) return { model, text };
  const measured = new MeasuredLatency();
  await scanJournal(text, {
    step: ({ input, commands }) => measured.applyStep(input, commands),
    torn: () => undefined,
    begins: tellBeginning(text),
  });
  if (measured.latency === undefined)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `${text}: no answered request in this journal, so it measures no latency`,
    );
  return { model: measured.latency, text: `measured from ${text}`, journal: text };
}

export function latencyText(text: string): string {
  const [journal] = partsOf(text);
  const isThere = statSync(journal?.file ?? text, { throwIfNoEntry: false })?.isFile() === true;
  if (parseLatency(text) === undefined && !isThere)
    throw new InvalidArgumentError(
      'expected 80ms, 80ms±30ms with the second no larger, or the file of a journal',
    );
  return text;
}
