// What a strategy keeps over restarts.

/**
 * One value for each game, kept over restarts of the bot and new versions of the strategy's file. Instances of
 * one game share it.
 */
export type Persist = {
  /**
   * The value of this game.
   * @returns a copy of what was set last, by this run or a former one. Undefined when nothing was set in the
   * last 30 days. Check its shape: an earlier version of the strategy may have set it.
   */
  readonly get: () => unknown;
  /**
   * Sets the value. It is written within half a second, and at the end of the run; a kill loses no more.
   * @param value JSON of at most 65,536 bytes. Secrets that the configuration takes from the environment are
   * written as `${NAME}`.
   * @throws TypeError when it is not JSON, RangeError when it is too long; the former value stays
   */
  readonly set: (value: unknown) => void;
};
