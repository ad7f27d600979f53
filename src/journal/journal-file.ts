// A file of a journal (one part) while it is written. `appendLine` only buffers. `secure` hands all lines to
// the kernel before it returns, and `pack` writes them to their final file. When a write is refused, the file
// reports that, keeps the data, and tries again on the next call.

/** File mode: only the bot's user may read a journal (docs/reference/journals.md). */
export const PRIVATE_FILE = 0o600;

export type FileReport = {
  /** The disk refused a write, which is tried again. */
  readonly refused: (error: Error) => void;
  /** The disk accepted a write. */
  readonly taken: () => void;
  /** Nothing more can be written. */
  readonly failed: (error: Error) => void;
};

export interface JournalFile {
  readonly file: string;
  /** Bytes that were not handed to the kernel yet. */
  readonly waiting: number;
  /** Bytes held in memory until they are in their final file. */
  readonly held: number;
  /** True when the file is closed. */
  readonly isDone: boolean;
  /** Buffers one complete line. */
  appendLine(line: Buffer): void;
  secure(): void;
  pack(): void;
  /** Marks the end of the lines: `pack` closes the file once everything is written. */
  finish(): void;
  /** Resolves when no packing is in progress. */
  idle(): Promise<void>;
  /** Closes the file without writing the rest. */
  abandon(): void;
}
