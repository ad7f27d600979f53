// The meaning of an error to a request with several orders (wire profile).
export type BatchErrors = {
  /** True when a 4xx means that the exchange acted on none of the orders. */
  readonly batchIsAtomic: boolean;
  /** True when a 400 means that the exchange acted on none of the orders. */
  readonly batch400IsAtomic: boolean;
};

/** True when the error covers the whole batch: the exchange acted on none of its orders. */
export const namesBatch = ({ batchIsAtomic, batch400IsAtomic }: BatchErrors, status: number): boolean =>
  batchIsAtomic || (batch400IsAtomic && status === 400);
