// Requests to the exchange: how they are told apart, whose window they use, and how they may fail.
export type Bucket = 'place' | 'cancel';
/** Identifies one request; unique within a run. */
export type RequestId = number;

/** Why a request has no answer of the exchange. `not-sent`: it certainly never left; the others may have acted. */
export type FailureKind = 'not-sent' | 'timeout' | 'no-answer' | 'foreign-body';
