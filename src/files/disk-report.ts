/** Receives the problems of a disk that refuses background writes. */
export type DiskReport = {
  /** Reports that the disk refuses a write, which is retried or has failed for good. Nothing else stops. */
  readonly problem: (message: string) => void;
  /** Reports that the disk accepts writes again. */
  readonly resumed: (message: string) => void;
};

/** Converts what a file system call threw to an Error. */
export const asSystemError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
