// The registry of error codes: every refusal, fault and exit of the program has an entry with its meaning and
// remedy. docs/reference/errors.md is generated from it, and a test keeps the two equal.

import { ALERT_CODES } from './alert-codes.ts';
import { END_CODES } from './end-codes.ts';

export const EXIT = {
  done: 0,
  /** A requested check does not hold. */
  failed: 1,
  usage: 2,
  badData: 65,
  bug: 70,
  notConfirmed: 74,
  gaveUp: 75,
  /** Stopped in order, but the ledger is incomplete. */
  ledgerUnwritten: 76,
  refused: 77,
  badConfig: 78,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** All error codes. */
export const ERROR_CODES = { ...END_CODES, ...ALERT_CODES } as const satisfies Readonly<
  Record<string, { readonly exit?: ExitCode; readonly means: string; readonly remedy: string }>
>;
export type ErrorCode = keyof typeof ERROR_CODES;

/** The system's code of an error, such as `EEXIST`; undefined for an error that is not the system's. */
export const systemCodeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The message of a failure, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * A failure that ends the process with a stated code: boot failures and lost resources, never an expected
 * outcome.
 */
export class OddsmakerError extends Error {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OddsmakerError';
    this.code = code;
    const entry = ERROR_CODES[code];
    this.exit = 'exit' in entry ? entry.exit : EXIT.bug;
  }
}
