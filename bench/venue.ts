// Operations per second of the venue, with accounts, credit and events, against npm `nodejs-order-book`,
// which has none of them. Both get the same flow and must make the same fills in the same order, otherwise
// nothing is reported. Each runs in its own process, so that neither pays for the other's garbage.
import { Child } from './child.ts';
import type { Row } from './run.ts';
import { median } from './statistics.ts';
import type { Contest, Contestant, Played } from './venue-contestant.ts';

/** Rounds by the size of the flow, after the same number of warm-up operations in both. */
const RUNS = [
  { operations: 5_000, rounds: 101 },
  { operations: 50_000, rounds: 21 },
] as const;
const WARM_UP_OPERATIONS = 150_000;

export async function venueOperations(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { operations, rounds } of RUNS) rows.push(await compare(operations, rounds));
  return rows;
}

async function compare(operations: number, rounds: number): Promise<Row> {
  const start = (contestant: Contestant) => new Child<Contest, Played>('./venue-contestant.ts', [contestant]);
  const children = { venue: start('venue'), orderBook: start('orderBook') };
  const times: Record<Contestant, number[]> = { venue: [], orderBook: [] };
  const ratios: number[] = [];
  const warmUps = Math.ceil(WARM_UP_OPERATIONS / operations);
  let fills = 0;
  try {
    for (let round = 0; round < warmUps + rounds; round++) {
      const ms = { venue: 0, orderBook: 0 };
      for (const contestant of round % 2 === 0
        ? (['venue', 'orderBook'] as const)
        : (['orderBook', 'venue'] as const)) {
        const played = await children[contestant].ask({ operations, verify: round === 0 });
        if ('error' in played) throw new Error(played.error);
        ({ fills } = played);
        ms[contestant] = played.ms;
      }
      if (round < warmUps) continue;
      times.venue.push(ms.venue);
      times.orderBook.push(ms.orderBook);
      ratios.push(ms.orderBook / ms.venue);
    }
  } finally {
    await Promise.all([children.venue.close(), children.orderBook.close()]);
  }
  const perSecond = (contestant: Contestant): string =>
    Math.round((operations / median(times[contestant])) * 1000).toLocaleString('en');
  return {
    what: `venue operations/s ÷ nodejs-order-book, ${operations.toLocaleString('en')} operations`,
    ratios,
    goal: '>= 2.2',
    detail: `median of ${rounds} rounds: ${perSecond('venue')} against ${perSecond('orderBook')}; the same ${fills} fills`,
  };
}
