// The error envelope of every REST error (spec, Errors). Branch on status and `details.code`, never on the
// message.
import { recordOf, readNumber, readText } from './json.ts';

export type ErrorEnvelope = {
  readonly message: string;
  /** `RATE_LIMITED`, `CANCEL_QUEUE_FULL`, `CANCEL_ALL_IN_PROGRESS`, … when the exchange gives one. */
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;
};

/**
 * The error of a body. Undefined when the body is not the exchange's envelope: then the answer is not the
 * exchange's.
 */
export function parseEnvelope(body: unknown): ErrorEnvelope | undefined {
  const error = recordOf(recordOf(body)?.['error']);
  if (error === undefined) return undefined;
  const details = recordOf(error['details']);
  const wait = readNumber(details?.['retryAfterSeconds']);
  return {
    message: readText(error['message']) ?? '',
    code: readText(details?.['code']),
    retryAfterSeconds: wait !== undefined && wait >= 0 && wait <= 3600 ? wait : undefined,
  };
}
