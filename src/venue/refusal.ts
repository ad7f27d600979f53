// Refusals of the venue: the HTTP status of the spec's error table, a message for people, and for batches the
// `errorType` of the wire profile. Refusals are values; the server turns them into the error envelope.
export type ErrorType = 'validation_error' | 'rejected_liability' | 'rejected_order_type_rules' | 'system_error';

export type ThrottleDetails = {
  readonly code: 'RATE_LIMITED' | 'CANCEL_QUEUE_FULL' | 'CANCEL_ALL_IN_PROGRESS';
  readonly kind?: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number;
};

export type Refusal = {
  readonly ok: false;
  readonly status: number;
  readonly message: string;
  readonly errorType: ErrorType;
  readonly details?: ThrottleDetails;
};

const DEFAULT_TYPE: Readonly<Record<number, ErrorType>> = { 500: 'system_error' };

export const refuse = (status: number, message: string, errorType?: ErrorType): Refusal => ({
  ok: false,
  status,
  message,
  errorType: errorType ?? DEFAULT_TYPE[status] ?? 'validation_error',
});

/**
 * A wait in seconds, rounded up to whole milliseconds, so that a client that waits this long is never early.
 */
const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms)) / 1000;

export const rateLimited = (kind: string, waitMs: number): Refusal => ({
  ...refuse(429, 'Too many requests'),
  details: { code: 'RATE_LIMITED', kind, retryable: true, retryAfterSeconds: secondsOf(waitMs) },
});

export const cancelQueueFull = (waitMs: number): Refusal => ({
  ...refuse(429, 'Too many cancels are waiting'),
  details: { code: 'CANCEL_QUEUE_FULL', retryable: true, retryAfterSeconds: secondsOf(waitMs) },
});

export const cancelAllRunning = (waitMs: number): Refusal => ({
  ...refuse(423, 'A cancel-all is in progress'),
  details: { code: 'CANCEL_ALL_IN_PROGRESS', retryable: true, retryAfterSeconds: secondsOf(waitMs) },
});
