// One file of a journal, a part of it, as it is written. `appendLine` only gathers. `secure` hands all of it to the kernel before
// it returns, and `pack` hands it over for good. A file that refuses says so, keeps what it was given, and is tried again
// by the next call.

/** Only its own user may read what a run did (docs/reference/journals.md). */
export const PRIVATE_FILE = 0o600;

export type FileReport = {
  /** The disk refuses, and may be tried again. */
  readonly refused: (error: Error) => void;
  /** It took something. */
  readonly taken: () => void;
  /** Nothing more can be written. */
  readonly failed: (error: Error) => void;
};

export interface JournalFile {
  readonly file: string;
  /** Bytes that no part of the disk was handed yet. */
  readonly waiting: number;
  /** Bytes that are kept in memory. */
  readonly held: number;
  /** All of it is where it stays, and it is closed. */
  readonly isDone: boolean;
  /** Whole lines. */
  appendLine(line: Buffer): void;
  secure(): void;
  pack(): void;
  /** Nothing is appended any more: once all is packed, it is closed. */
  finish(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  /** Closes it as it is. */
  abandon(): void;
}
