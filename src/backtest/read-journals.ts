// Journals that a backtest is told to read: of the run that its tapes recorded, and of one that measures latency.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { RealRun } from './calibration.ts';
import { RealFills } from './calibration.ts';
import type { Latency } from './latency.ts';
import { DEFAULT_LATENCY, MeasuredLatency, parseLatency } from './latency.ts';
import type { Config } from '../config/index.ts';
import { redacted } from '../config/index.ts';
import { isHiddenText, OddsmakerError } from '../domain/index.ts';
import type { EventListener } from '../run/index.ts';
import { readSoundEvents } from '../run/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { jsonDifferences } from '../files/index.ts';
import { partsOf, isCutOff, unpackedChunks, headerOf, noteMissingParts } from '../journal/index.ts';

/** Of all its parts, one behind the other, as they were before they were packed, up to where it is cut off. */
export async function namedJournal(file: string): Promise<{ readonly file: string; readonly sha256: string }> {
  const hash = createHash('sha256');
  try {
    for (const part of partsOf(file)) for await (const chunk of unpackedChunks(part.file)) hash.update(chunk);
  } catch (error) {
    if (!isCutOff(error)) throw error;
  }
  return { file, sha256: hash.digest('hex') };
}

/** What is there of a journal, whole or not. @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
const eventsIn = async (journal: string, listen: EventListener): Promise<unknown> =>
  readSoundEvents(journal, await headerOf(journal), 'reading', listen, noteMissingParts(journal));

/** @throws OddsmakerError JOURNAL_INVALID when the journal tells of nothing */
export async function realRunOf(journal: string): Promise<RealRun> {
  const fills = new RealFills();
  await eventsIn(journal, (input, events) => fills.apply(input, events));
  const { run } = fills;
  if (run !== undefined) return run;
  throw new OddsmakerError('JOURNAL_INVALID', `${journal}: this journal tells of nothing`);
}

/** What of a configuration decides how much its run fills. */
const DECIDES =
  /^(?:(?:markets|orders|risk|exchange\.(?:playerMode|limits|profile))\b|strategies\.\d+(?:$|\.(?:id|params)\b))/;
/** Keys that are named in one line. */
const MOST_NAMED = 5;

/**
 * What is not as it was when the run of a journal filled what it did: a lean that is measured by it tells of that as well.
 * Undefined: all is as it was.
 */
export async function otherRunNote(
  journal: string,
  config: Config,
  strategies: JournalHeader['strategies'],
): Promise<string | undefined> {
  const header = await headerOf(journal);
  // a journal may have been written by another version
  const then: readonly { readonly sha256?: unknown }[] = Array.isArray(header.strategies) ? header.strategies : [];
  const files = strategies.flatMap(({ file, sha256 }, index) => (then[index]?.sha256 === sha256 ? [] : [file]));
  const keys = jsonDifferences(header.config, redacted(config))
    .filter(({ before, after }) => !(isHiddenText(before) && isHiddenText(after)))
    .map(({ path }) => path)
    .filter((path) => DECIDES.test(path));
  const others = [...files, ...keys];
  if (others.length === 0) return undefined;
  const named = `${others.slice(0, MOST_NAMED).join(', ')}${others.length > MOST_NAMED ? ', …' : ''}`;
  return `oddsmaker: ${journal}: its run was another one than is played here (${named}): the lean makes up for that as well`;
}

export async function latencyOf(
  text: string | undefined,
): Promise<{ readonly model: Latency; readonly text: string; readonly journal?: string }> {
  if (text === undefined) return { model: DEFAULT_LATENCY, text: '80ms±30ms' };
  const model = parseLatency(text);
  if (model !== undefined) return { model, text };
  const measured = new MeasuredLatency();
  await eventsIn(text, (_input, events) => measured.apply(events));
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
    throw new RangeError('expected 80ms, 80ms±30ms with the second no larger, or the file of a journal');
  return text;
}
