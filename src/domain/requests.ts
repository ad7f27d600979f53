// Requests to the exchange: their ids, their windows, and their ways to fail.
export type Bucket = 'place' | 'cancel';
/** The id of a request; unique within a run. */
export type RequestId = number;

/**
 * Why a request has no answer of the exchange. `not-sent`: it certainly never left; with the others the
 * exchange may have acted.
 */
export type FailureKind = 'not-sent' | 'timeout' | 'no-answer' | 'foreign-body';
