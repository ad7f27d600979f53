// The figures of one fill and their sums (REPORT.md, "One fill"). Probabilities are of the side that was backed, money is
// micro-dollars. A figure that nobody can know is undefined and counted apart, never guessed.

/** Seconds after a fill at which the price is looked at again. */
export const MARKOUT_SECONDS = [1, 5, 10, 30, 60, 300] as const;
export type MarkoutSeconds = (typeof MARKOUT_SECONDS)[number];
/**
 * Fair after each of MARKOUT_SECONDS, in their order; undefined: not known, or not yet. A list, since an object with such numbers
 * as keys takes kilobytes, and fills are many.
 */
export type MarkoutPrices = readonly (number | undefined)[];

export type FillPrices = {
  /** Stake and payout, stake included. */
  readonly risk: number;
  readonly payout: number;
  /** Fair when it filled, and at the close. */
  readonly f0: number | undefined;
  readonly fc: number | undefined;
  /** Fair so many seconds later. */
  readonly later: MarkoutPrices;
  /** What it brought before commission; undefined: its game is not settled. */
  readonly profit: number | undefined;
  /** What the exchange keeps of it. */
  readonly commission: number;
};

/** Own price as probability: what a unit of payout costs. */
export const ownPriceOf = ({ risk, payout }: Pick<FillPrices, 'risk' | 'payout'>): number => risk / payout;

/** Spread captured + drift to the close + luck + commission = P&L. */
export type Identity = {
  readonly spread: number;
  readonly drift: number;
  readonly luck: number;
  /** 0 or below. */
  readonly commission: number;
  readonly pnl: number;
};

/** Undefined until everything is known of it, or where a price never was. */
export function identityOf(fill: FillPrices): Identity | undefined {
  const { f0, fc, profit, payout, commission } = fill;
  if (f0 === undefined || fc === undefined || profit === undefined) return undefined;
  const spread = spreadOf(fill) ?? 0;
  const drift = Math.round(payout * (fc - f0));
  return {
    ...{ spread, drift, luck: profit - spread - drift, commission: 0 - commission },
    pnl: profit - commission,
  };
}

/** Payout times what the fair price was above the own one. */
export const spreadOf = ({ risk, payout, f0 }: FillPrices): number | undefined =>
  f0 === undefined ? undefined : Math.round(payout * f0 - risk);

/** Closing line value: dollars, points of probability, and per cent of the own price. */
export function clvOf(
  fill: FillPrices,
): { readonly money: number; readonly points: number; readonly percent: number } | undefined {
  const { risk, payout, fc } = fill;
  if (fc === undefined) return undefined;
  const c = ownPriceOf(fill);
  return { money: Math.round(payout * fc - risk), points: fc - c, percent: 100 * (fc / c - 1) };
}

/** What the fill was worth so many seconds later, less what it cost. */
export function markoutOf({ risk, payout, later }: FillPrices, seconds: MarkoutSeconds): number | undefined {
  const price = later[MARKOUT_SECONDS.indexOf(seconds)];
  return price === undefined ? undefined : Math.round(payout * price - risk);
}

export type FillSums = {
  readonly fills: number;
  readonly risk: number;
  readonly payout: number;
  /** Of the fills of which all three parts are known: they sum to `pnl`. */
  readonly identity: Identity & { readonly fills: number };
  /** Settled ones without f0 or fc, and what they brought. */
  readonly unpriced: { readonly fills: number; readonly pnl: number };
  /** Not settled yet. */
  readonly open: number;
  /** Spread captured of all fills with f0, settled or not. */
  readonly spread: { readonly fills: number; readonly money: number };
  /** Points are the mean over fills, and `share` that of fills above 0. */
  readonly clv: {
    readonly fills: number;
    readonly money: number;
    readonly points: number;
    readonly share: number;
  };
  readonly markouts: Readonly<
    Record<MarkoutSeconds, { readonly fills: number; readonly money: number; readonly payout: number }>
  >;
};

export function sumsOf(fills: Iterable<FillPrices>): FillSums {
  const all = { fills: 0, risk: 0, payout: 0, open: 0 };
  const identity = { spread: 0, drift: 0, luck: 0, commission: 0, pnl: 0, fills: 0 };
  const unpriced = { fills: 0, pnl: 0 };
  const spread = { fills: 0, money: 0 };
  const clv = { fills: 0, money: 0, points: 0, above: 0 };
  const markouts = Object.fromEntries(
    MARKOUT_SECONDS.map((seconds) => [seconds, { fills: 0, money: 0, payout: 0 }]),
  ) as Record<MarkoutSeconds, { fills: number; money: number; payout: number }>;
  for (const fill of fills) {
    all.fills += 1;
    all.risk += fill.risk;
    all.payout += fill.payout;
    const parts = identityOf(fill);
    if (fill.profit === undefined) all.open += 1;
    else if (parts === undefined) {
      unpriced.fills += 1;
      unpriced.pnl += fill.profit - fill.commission;
    } else {
      identity.fills += 1;
      for (const part of ['spread', 'drift', 'luck', 'commission', 'pnl'] as const)
        identity[part] += parts[part];
    }
    const captured = spreadOf(fill);
    if (captured !== undefined) {
      spread.fills += 1;
      spread.money += captured;
    }
    const value = clvOf(fill);
    if (value !== undefined) {
      clv.fills += 1;
      clv.money += value.money;
      clv.points += value.points;
      clv.above += Number(value.points > 0);
    }
    for (const seconds of MARKOUT_SECONDS) {
      const money = markoutOf(fill, seconds);
      if (money === undefined) continue;
      const sum = markouts[seconds];
      sum.fills += 1;
      sum.money += money;
      sum.payout += fill.payout;
    }
  }
  const { above, points, ...value } = clv;
  const mean = (sum: number): number => (clv.fills === 0 ? 0 : sum / clv.fills);
  return {
    ...all,
    ...{ identity, unpriced, spread, markouts },
    clv: { ...value, points: mean(points), share: mean(above) },
  };
}
