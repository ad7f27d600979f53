// What a strategy writes for people: messages, and values over time.

/** The log of one instance. */
export type StrategyLog = {
  /**
   * Writes to the bot's log and journal.
   * @param message a constant sentence
   * @param fields the values that vary
   */
  (message: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Logs a value of a series over time, such as a fair price or a width. The journal has the newest value of each
   * second at most, and none that is unchanged; after each 20,000 values of the strategy the interval doubles. The report
   * draws the series of each market, and `export --what series` writes them. A value that is not valid is dropped, and
   * the first one of a kind is reported (`SERIES_DROPPED`). So is a value from a timer of the process.
   * @param name 1 to 40 letters, digits, spaces or `_ . : / % ( ) + -`; at most 50 names in one strategy
   * @param value a finite number
   */
  readonly series: (name: string, value: number) => void;
};
