// What an error to a request with several orders says of them (wire profile).
export type BatchErrors = {
  /** A 4xx means that none of it was acted on. */
  readonly batchIsAtomic: boolean;
  /** A 400 means that. */
  readonly batch400IsAtomic: boolean;
};

/** The error names the whole batch: nothing of it was acted on. */
export const namesBatch = ({ batchIsAtomic, batch400IsAtomic }: BatchErrors, status: number): boolean =>
  batchIsAtomic || (batch400IsAtomic && status === 400);
