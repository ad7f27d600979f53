// Reads the journals that a backtest is given: of the run that its tapes recorded, and of a run that measures
// latency.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { RealRun } from './calibration.ts';
import { RealFills } from './calibration.ts';
import type { Latency } from './latency.ts';
import { DEFAULT_LATENCY, MeasuredLatency, parseLatency } from './latency.ts';
import type { Config } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';
import { isHiddenText, OddsmakerError } from '../domain/index.ts';
import type { EventListener } from '../run/index.ts';
import { readSoundEvents } from '../run/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { jsonDifferences } from '../files/index.ts';
import { partsOf, isCutOff, unpackedChunks, headerOf, noteMissingParts } from '../journal/index.ts';

/**
 * The name of a journal with the hash of all its parts, unpacked and in order, up to where the journal is cut
 * off.
 */
export async function namedJournal(file: string): Promise<{ readonly file: string; readonly sha256: string }> {
  const hash = createHash('sha256');
  try {
    for (const part of partsOf(file)) for await (const chunk of unpackedChunks(part.file)) hash.update(chunk);
  } catch (error) {
    if (!isCutOff(error)) throw error;
  }
  return { file, sha256: hash.digest('hex') };
}

/**
 * Passes the events of a journal to a listener, also when the journal is cut off or lacks parts.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
const eventsIn = async (journal: string, listen: EventListener): Promise<unknown> =>
  readSoundEvents(journal, await headerOf(journal), 'reading', listen, { begins: noteMissingParts(journal) });

/**
 * The fills of the run that a journal recorded.
 * @throws OddsmakerError JOURNAL_INVALID when the journal has no records
 */
export async function realRunOf(journal: string): Promise<RealRun> {
  const fills = new RealFills();
  await eventsIn(journal, (input, events) => fills.applyEvents(input, events));
  const { run } = fills;
  if (run !== undefined) return run;
  throw new OddsmakerError('JOURNAL_INVALID', `${journal}: this journal has no records`);
}

/** The configuration keys that decide how much a run fills. */
const DECIDES =
  /^(?:(?:markets|orders|risk|exchange\.(?:playerMode|limits|profile))\b|strategies\.\d+(?:$|\.(?:id|params)\b))/;
/** The most keys in one line. */
const MOST_NAMED = 5;

/**
 * A note on the strategy files and keys that differ from the run of a journal: a lean that is measured by
 * that run compensates for them as well. Undefined when nothing differs.
 */
export async function otherRunNote(
  journal: string,
  config: Config,
  strategies: JournalHeader['strategies'],
): Promise<string | undefined> {
  const header = await headerOf(journal);
  // a journal may have been written by another version
  const filesThen: readonly { readonly sha256?: unknown }[] = Array.isArray(header.strategies) ? header.strategies : [];
  const files = strategies.flatMap(({ file, sha256 }, index) => (filesThen[index]?.sha256 === sha256 ? [] : [file]));
  const keys = jsonDifferences(header.config, redactedConfig(config))
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
  await eventsIn(text, (_input, events) => measured.applyEvents(events));
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
