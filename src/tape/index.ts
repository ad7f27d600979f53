// Tapes: the recorder, reading and writing, cutting and merging, the market events in them, and their compact form.
export type { MarketBooks } from './market-books.ts';
export { BookFollower } from './market-books.ts';
export type { Times } from './recorder.ts';
export { Recorder } from './recorder.ts';
export type { OpenOptions, Tape, TapeCount } from './tape-cache.ts';
export { compactTape, openTape, sha256Of } from './tape-cache.ts';
export { cutTape } from './tape-cut.ts';
export type {
  GameEvent,
  MarketEvent,
  OwnEvent,
  RecordedFrame,
  SideEvent,
  SignalEvent,
} from './tape-decoder.ts';
export { NONE_EXHAUSTED, TapeDecoder, sideKeyOf, tapeError } from './tape-decoder.ts';
export { TapeDraft, headerText } from './tape-draft.ts';
export type { GameFacts, TapeFacts } from './tape-facts.ts';
export { TapeCounter } from './tape-facts.ts';
export type { TapeName } from './tape-files.ts';
export { distinctTapes, tapeFilesOf } from './tape-files.ts';
export type { GameStart } from './tape-games.ts';
export { gamesIn, ofGames } from './tape-games.ts';
export { mergeTapes } from './tape-merge.ts';
export { readTape } from './tape-reader.ts';
export { decodeTape } from './tape-stream.ts';
export type { TapeFrame } from './tape-reader.ts';
