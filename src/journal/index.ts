// Journals: record every input and command of a run. Written, read, split into parts, and removed when old.
export { eventsOfType } from './events-of-type.ts';
export { missingPart, nameOfPart, partsOf, present } from './journal-parts.ts';
export { JournalProgress } from './journal-progress.ts';
export type { EventStep, Journal, JournalStep, Tear } from './journal-reader.ts';
export { scanJournal } from './journal-reader.ts';
export { JournalRetention } from './journal-retention.ts';
export { readTails } from './journal-tail.ts';
export type { JournalHeader, RecordedFile, RecordedStrategy } from './journal.ts';
export { FORMAT, JournalWriter } from './journal.ts';
export {
  headerOf,
  journalAt,
  journalsIn,
  tearText,
  noteMissingParts,
  timeOf,
  tolerant,
  tornOf,
} from './journals-in.ts';
export { ownerOf, readLastRequests } from './last-requests.ts';
export { readRecentPrices } from './recent-prices.ts';
export { runsIn } from './runs-in.ts';
export { areAsRecorded, recordedCommand, recordedEvent } from './shown-words.ts';
export { arrivalText, commandText } from './step-text.ts';
export { isCutOff, unpackedChunks, unpackedLines, userChunks, userFileText } from './unpacked.ts';
