// What an hour of running costs: the size of the journal, the growth of the heap, and how long `report` takes
// compared with reading and unpacking its journal. The hour passes on the virtual clock, in a few minutes.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackedLines } from '../src/journal/index.ts';
import { reportOfJournals } from '../src/report/index.ts';
import { Child } from './child.ts';
import type { HeapSample, LongRunQuestion, Played } from './long-run-child.ts';
import type { Row } from './run.ts';
import { median, ratiosOf } from './statistics.ts';

const MINUTES = 60;
const REPORT_CHARS = 200e6;
const ROUNDS = 3;
/** Edges of the strategy: one with few fills, and one with at least a fill a second. */
const EDGE = { calm: 0.03, busy: 0.02 } as const;

export async function longRun(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    const played = (edge: keyof typeof EDGE): Promise<Played> => {
      const own = join(folder, edge);
      mkdirSync(own);
      return inChild({ play: { folder: own, edge: EDGE[edge], minutes: MINUTES, reportChars: REPORT_CHARS } });
    };
    const calm = await played('calm');
    const busy = await played('busy');
    const { journal, short, shortChars } = busy;
    const samples = await inChild<readonly HeapSample[]>({ follow: { folder: join(folder, 'busy'), journal } });
    const later = samples.filter(({ minute }) => minute >= MINUTES / 2);
    const costs = await costsOfReport(short);
    return [
      {
        what: 'journal of 18 busy markets, MB an hour',
        ratios: [mbAnHour(calm)],
        goal: '<= 25',
        detail: `${rates(calm)}; ${mbAnHour(busy).toFixed(1)} MB with ${rates(busy)}`,
      },
      {
        what: 'slope of the heap after collections, second half hour, MB an hour',
        ratios: [slopeOf(later)],
        goal: '<= 5',
        detail: `${rates(busy)}; ${later[0]?.mb.toFixed(1)} MB after half an hour, ${later.at(-1)?.mb.toFixed(1)} MB after the hour`,
      },
      {
        what: 'report of a journal of 200 MB ÷ reading and unpacking it',
        ratios: ratiosOf(costs.report, costs.unpack),
        goal: '<= 3',
        detail: `${(shortChars / 1e6).toFixed(0)} MB of text, CPU ${median(costs.report).toFixed(0)} ms against ${median(costs.unpack).toFixed(0)} ms, medians of ${ROUNDS}`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const mbAnHour = ({ bytes }: Played): number => bytes / 1e6 / (MINUTES / 60);

const rates = ({ markets, frames, fills }: Played): string =>
  `${markets} markets, ${(frames / MINUTES / 60).toFixed(0)} frames and ${(fills / MINUTES / 60).toFixed(2)} fills a second`;

async function inChild<Answer>(question: LongRunQuestion): Promise<Answer> {
  const child = new Child<LongRunQuestion, Answer>('./long-run-child.ts');
  try {
    return await child.ask(question);
  } finally {
    await child.close();
  }
}

/** CPU time of both in each round, ms. */
async function costsOfReport(journal: string): Promise<Readonly<Record<'report' | 'unpack', readonly number[]>>> {
  const costs = { report: [] as number[], unpack: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    costs.unpack.push(
      await cpuOf(async () => {
        let bytes = 0;
        for await (const line of unpackedLines(journal)) bytes += line.length;
        if (bytes < REPORT_CHARS / 2) throw new Error('the journal is short');
      }),
    );
    costs.report.push(await cpuOf(() => reportOfJournals([journal])));
  }
  return costs;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least-squares slope, MB an hour. */
function slopeOf(samples: readonly HeapSample[]): number {
  const mean = (valueOf: (sample: HeapSample) => number): number =>
    samples.reduce((sum, sample) => sum + valueOf(sample), 0) / samples.length;
  const [minute, mb] = [mean((each) => each.minute), mean((each) => each.mb)];
  const spread = mean((each) => (each.minute - minute) ** 2);
  return (60 * mean((each) => (each.minute - minute) * (each.mb - mb))) / spread;
}
