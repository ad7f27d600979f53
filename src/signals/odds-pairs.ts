// The bets of a bookmaker's market: the two sides of each line, by the names of the teams.
import type { OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';

export type OddsPair = {
  /** Home's spread, or the total. Undefined for a moneyline. */
  readonly line: number | undefined;
  /** Decimal odds of the first side (home, over), of the second, and of the draw where there is one. */
  readonly decimals: readonly number[];
};

export type OddsPairs = {
  readonly pairs: readonly OddsPair[];
  /** What makes no pair, and why. */
  readonly faults: readonly string[];
};

const MORE_LINES = 'several prices of one line, and the first alone counts';

export function pairsIn(market: OddsMarket, event: Pick<OddsEvent, 'home' | 'away'>): OddsPairs {
  if (market.type === 'moneyline') return moneylineOf(market, event);
  const isSpread = market.type === 'spread';
  const isFirst = ({ name }: OddsOutcome): boolean => (isSpread ? name === event.home : name.toLowerCase() === 'over');
  const isSecond = ({ name }: OddsOutcome): boolean =>
    isSpread ? name === event.away : name.toLowerCase() === 'under';
  /** The line of the first side. */
  const lineOf = (outcome: OddsOutcome): number =>
    isSpread && isSecond(outcome) ? 0 - (outcome.point ?? Number.NaN) : (outcome.point ?? Number.NaN);
  const pairs = new Map<number, OddsPair>();
  const faults: string[] = [];
  const used = new Set<OddsOutcome>();
  for (const first of market.outcomes.filter(isFirst)) {
    const line = lineOf(first) + 0;
    const second = market.outcomes.find((other) => isSecond(other) && lineOf(other) === line);
    if (second === undefined) continue;
    used.add(first).add(second);
    if (!Number.isInteger(line * 4)) faults.push(`${market.key}: a line that is not in quarters`);
    else if (pairs.has(line)) faults.push(`${market.key} ${line}: ${MORE_LINES}`);
    else pairs.set(line, { line, decimals: [first.decimal, second.decimal] });
  }
  const alone = market.outcomes.filter((outcome) => !used.has(outcome));
  if (!market.isAlternate && (alone.length > 0 || market.outcomes.length > 2))
    return { pairs: [], faults: [`${market.key}: outcomes that are not ${ONE_LINE[market.type]}`] };
  for (const { name, point } of alone) faults.push(`${market.key}: ${name} ${point ?? ''} has no other side`);
  return { pairs: [...pairs.values()], faults };
}

const ONE_LINE = { spread: 'two sides of one line', total: 'over and under of one total' } as const;

function moneylineOf({ key, outcomes }: OddsMarket, { home, away }: Pick<OddsEvent, 'home' | 'away'>): OddsPairs {
  const first = outcomes.find(({ name }) => name === home);
  const second = outcomes.find(({ name }) => name === away);
  if (first === undefined || second === undefined || outcomes.length > 3)
    return { pairs: [], faults: [`${key}: outcomes that are not the two teams and a draw`] };
  const draw = outcomes.find((outcome) => outcome !== first && outcome !== second);
  return {
    pairs: [{ line: undefined, decimals: [first, second, ...(draw ? [draw] : [])].map(({ decimal }) => decimal) }],
    faults: [],
  };
}
