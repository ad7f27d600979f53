/** Who hears of a disk that refuses what is written behind the caller's back. */
export type DiskReport = {
  /** It refuses, and is tried again; or it refused for good. Nothing else stops. */
  readonly problem: (message: string) => void;
  /** It takes again. */
  readonly resumed: (message: string) => void;
};

/** What a call of the file system throws. */
export const asSystemError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
