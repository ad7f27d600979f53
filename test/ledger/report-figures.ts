// Compares the figures that the report's functions take from a journal with the figures in the ledger of its
// run.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { headerOf } from '../../src/journal/journals-in.ts';
import { readEvents, RunFigures } from '../../src/run/index.ts';
import { recordedConfig } from '../../src/setup/index.ts';
import type { GroupSums, ScenarioFigures } from '../../src/run/index.ts';
import { addToGroup, ATTRIBUTION_KEYS, ATTRIBUTIONS, noSums } from '../../src/run/index.ts';
import { command } from '../support/children.ts';
import type { Row } from './fixtures.ts';

export function queryLedger(ledger: string, sql: string): readonly Row[] {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** The sums of a journal by the report's functions, before they are rounded. */
async function groupsOf(journal: string): Promise<ReadonlyMap<string, GroupSums>> {
  const header = await headerOf(journal);
  const figures = new RunFigures();
  const follower = figures.beginRun(recordedConfig(journal, header));
  await readEvents(journal, header, 'reading', follower.step);
  follower.end();
  const groups = new Map<string, GroupSums>();
  for (const fill of figures.facts.fills)
    for (const by of ATTRIBUTIONS) {
      const key = `${by} ${ATTRIBUTION_KEYS[by](fill)}`;
      const sums = groups.get(key) ?? noSums();
      groups.set(key, sums);
      addToGroup(sums, fill, 1);
    }
  return groups;
}

/** The sums as the ledger's view has them: null where nothing is known. */
const nulled = (groups: ReadonlyMap<string, GroupSums>): Readonly<Record<string, Row>> =>
  Object.fromEntries(
    [...groups].map(([key, { known, fills, risk, ...sums }]) => {
      const unlessNone = (count: number, sum: number): number | null => (count === 0 ? null : sum);
      return [
        key,
        {
          fills,
          risk,
          spread: unlessNone(known.parts, sums.spread),
          drift: unlessNone(known.parts, sums.drift),
          luck: unlessNone(known.parts, sums.luck),
          commission: unlessNone(known.parts, sums.commission),
          pnl: unlessNone(known.parts, sums.pnl),
          captured: unlessNone(known.captured, sums.captured),
          unpriced: sums.unpriced,
          unpriced_pnl: unlessNone(sums.unpriced, sums.unpricedPnl),
          clv: unlessNone(known.clv, sums.clv),
        },
      ];
    }),
  );

export function attributionIn(ledger: string): Readonly<Record<string, Row>> {
  const rows = queryLedger(ledger, 'SELECT * FROM attribution');
  return Object.fromEntries(
    rows.map(({ attribution, key, account_id: _account, run: _run, ...sums }) => [
      `${String(attribution)} ${String(key)}`,
      sums,
    ]),
  );
}

export const reportOf = async (journal: string): Promise<ScenarioFigures> => {
  const { stdout } = await command(['report', journal, '--json']);
  const { scenarios } = JSON.parse(stdout) as { scenarios: { live: ScenarioFigures } };
  return scenarios.live;
};

/** Expects the last row of a run to have the figures of a report of the whole run. */
export function expectRow(row: Row | undefined, { quoting, permits, inventory, pickedOff }: ScenarioFigures): void {
  const micros = (dollars: number | null): number | null => (dollars === null ? null : Math.round(dollars * 1e6) + 0);
  expect(row).toMatchObject({
    two_sided: quoting.twoSided,
    at_best: quoting.atBest,
    mean_distance: quoting.meanDistance,
    quote_hours: quoting.quoteHours,
    orders: quoting.orders,
    cancels_per_fill: quoting.cancelsPerFill,
    median_life_ms: quoting.medianLifeMs,
    places: permits.place,
    cancels: permits.cancel,
    pnl_per_place: micros(permits.pnlPerPlace),
    spread_per_place: micros(permits.spreadPerPlace),
    clv_per_place: micros(permits.clvPerPlace),
    mean_wait_ms: permits.meanWaitMs,
    staleness: micros(permits.staleness),
    shadow_price: micros(permits.shadowPrice),
    inventory_most: micros(inventory.most),
    inventory_mean: micros(inventory.mean),
    worst: micros(inventory.worst),
    max_drawdown: micros(inventory.maxDrawdown),
    lost: 0,
    at_limits: inventory.atLimits,
    late: pickedOff.latency.fills,
    mispriced: pickedOff.pricing.fills,
  });
  // a report weighs the shares of several runs, which costs digits
  expect(JSON.parse(String(row?.['held_back']))).toEqual(
    Object.fromEntries(
      Object.entries(inventory.heldBack ?? {}).map(([name, share]) => [name, expect.closeTo(share, 12) as number]),
    ),
  );
}

/** Every attribution group of the fills of a journal, in micro-dollars. */
export const attributionOf = async (journal: string): Promise<Readonly<Record<string, Row>>> =>
  nulled(await groupsOf(journal));
