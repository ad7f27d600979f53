// Any recorded market against any fixed schedule of orders: the more of what vanishes counts as taken, the
// more each order fills, and no recorded unit fills twice. HUNT=5000 searches for longer.
import { SCENARIOS } from '../../src/report/index.ts';
import type { Scenario } from '../../src/report/index.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketEvent } from '../../src/tape/index.ts';
import { TapeDecoder } from '../../src/tape/index.ts';
import type { Row } from './made-tape.ts';
import { MadeTape } from './made-tape.ts';
import type { Schedule, Scheduled, Stories } from './schedule.ts';
import { filledOf, playEvents } from './schedule.ts';

const RUNS = Number(process.env['HUNT'] ?? 600);
const SETTINGS = {
  numRuns: RUNS,
  // the same runs each time, except in a hunt
  ...(process.env['HUNT'] === undefined ? { seed: 20_300_101 } : {}),
} as const;
const TIMEOUT = { timeout: 20_000 + 60 * RUNS };

/** What rounding to pairs of micro-dollars may change in an amount, dollars. */
const ROUNDING = 0.001;

// ——— recorded markets

type Name = 'home' | 'away';
type Change = {
  readonly side: Name;
  readonly what: 'arrive' | 'take' | 'exhaust' | 'cut' | 'both' | 'vanish' | 'return' | 'again' | 'older' | 'gap';
  /** The index of the row that changes, modulo the number of rows. */
  readonly pick: number;
  /** Tenths of what is left. */
  readonly tenths: number;
  readonly odds: number;
  readonly risk: number;
  readonly own: boolean;
};

const changes = fc.record<Change>({
  side: fc.constantFrom('home', 'away'),
  what: fc.oneof(
    { weight: 9, arbitrary: fc.constant('arrive' as const) },
    { weight: 9, arbitrary: fc.constantFrom('take', 'vanish') },
    { weight: 6, arbitrary: fc.constantFrom('exhaust', 'cut', 'both', 'return', 'again') },
    { weight: 3, arbitrary: fc.constantFrom('gap', 'older', 'older') },
  ),
  pick: fc.nat(5),
  tenths: fc.integer({ min: 1, max: 9 }),
  // Some prices cross the orders of the schedule. Recorded offers never cross each other.
  odds: fc.constantFrom(-110, -104, 100, 104, 108, 112, 116, 120),
  risk: fc.constantFrom(10, 50, 100, 240),
  own: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

const rungOf = (odds: number): number => (odds > 0 ? odds - 100 : odds + 100);
const other = (side: Name): Name => (side === 'home' ? 'away' : 'home');

type RowName = { readonly side: Name; readonly id: string };

/** A market that records itself, one frame a second. */
class Recorded {
  readonly tape: MadeTape;
  /** The row that changed in the frame of a second, for markets in which one row changes at a time. */
  readonly changed = new Map<number, RowName>();
  /** The most that was ever left of a row, and the takers' stake for a unit of it. */
  readonly first = new Map<string, { readonly left: number; readonly win: number }>();
  readonly #rows: Record<Name, Row[]> = { home: [], away: [] };
  readonly #gone: Record<Name, Row[]> = { home: [], away: [] };
  /** The newest frame of each side, the one before it, and what changed between the two. */
  readonly #shown: Record<Name, readonly Row[]> = { home: [], away: [] };
  readonly #older: Record<Name, { rows: readonly Row[]; changed?: RowName | undefined }> = {
    home: { rows: [] },
    away: { rows: [] },
  };
  readonly #depth: number | undefined;
  #second = 0;
  #ids = 0;

  /** @param depth the most rows of a ladder that the recording shows */
  constructor(depth?: number) {
    this.#depth = depth;
    this.tape = new MadeTape(depth === undefined ? {} : { depth });
    this.tape.game(0).side(0, 'home', []).side(0, 'away', []);
  }

  /** Records one frame with these changes of one side. */
  step(frameChanges: readonly Change[]): void {
    const [firstChange] = frameChanges;
    if (firstChange === undefined) return;
    this.#second += 1;
    const { side } = firstChange;
    if (frameChanges.some(({ what }) => what === 'older')) this.#repeatOlder(side);
    else for (const change of frameChanges) this.#apply(side, change);
    const rows = this.#rows[side];
    this.tape.side(this.#second, side, rows.slice(0, this.#depth));
    this.#older[side] = { rows: this.#shown[side], changed: this.changed.get(this.#second) };
    this.#shown[side] = rows;
    // a row with nothing left is shown once
    this.#rows[side] = rows.filter(({ left }) => left !== 0);
  }

  /** The frame before the newest one arrives a second time, and the newest one follows it. */
  #repeatOlder(side: Name): void {
    const { rows, changed } = this.#older[side];
    if (changed === undefined) return;
    this.tape.side(this.#second, side, rows.slice(0, this.#depth));
    this.changed.set(this.#second, changed);
    this.#second += 1;
    this.tape.side(this.#second, side, this.#shown[side].slice(0, this.#depth));
    this.changed.set(this.#second, changed);
    this.#second += 1;
  }

  #apply(side: Name, { what, pick, tenths, odds, risk, own }: Change): void {
    const rows = this.#rows[side];
    const gone = this.#gone[side];
    if (what === 'older') return;
    if (what === 'gap') {
      this.tape.disconnect(this.#second - 0.6).connect(this.#second - 0.4);
      return;
    }
    if (what === 'arrive') {
      if (this.#rows[other(side)].some((facing) => rungOf(facing.odds) + rungOf(odds) <= 0)) return;
      this.#ids += 1;
      const id = `${side}${this.#ids}`;
      this.#put(side, { id, odds, risk, left: risk, made: this.#second, own });
      this.first.set(id, { left: risk, win: odds > 0 ? odds / 100 : 100 / -odds });
      return;
    }
    const from = what === 'return' || what === 'again' ? gone : rows;
    const row = from[pick % Math.max(1, from.length)];
    if (row === undefined) return;
    const { left = 0 } = row;
    if (left === 0) return;
    const part = (left * tenths) / 10;
    const keep = (fields: Partial<Row>): void => this.#put(side, { ...row, ...fields });
    switch (what) {
      case 'take':
        keep({ left: left - part });
        return;
      case 'exhaust':
        keep({ left: 0 });
        return;
      case 'cut':
        keep({ risk: row.risk - part, left: left - part });
        return;
      case 'both':
        keep({ risk: row.risk - part / 2, left: left - part });
        return;
      case 'vanish':
        gone.push(row);
        this.changed.set(this.#second, { side, id: row.id });
        this.#rows[side] = rows.filter(({ id }) => id !== row.id);
        return;
      case 'return':
      case 'again':
        if (this.#rows[other(side)].some((facing) => rungOf(facing.odds) + rungOf(row.odds) <= 0)) return;
        this.#gone[side] = gone.filter(({ id }) => id !== row.id);
        keep(what === 'return' ? {} : { left: left - part });
    }
  }

  #put(side: Name, row: Row): void {
    this.changed.set(this.#second, { side, id: row.id });
    // best for the taker first, then the older one
    this.#rows[side] = [...this.#rows[side].filter(({ id }) => id !== row.id), row].sort(
      (a, b) => rungOf(a.odds) - rungOf(b.odds) || (a.made ?? 0) - (b.made ?? 0),
    );
  }
}

const recorded = (steps: readonly (readonly Change[])[], depth?: number): Recorded => {
  const market = new Recorded(depth);
  for (const step of steps) market.step(step);
  return market;
};

// ——— schedules

const SECONDS = 40;

/**
 * Prices of orders that never cross each other: none is refused because of another that filled in one
 * scenario only.
 */
const APART = [101, 103, 104, 108, 112];
/**
 * Prices that may cross: such an order is refused while the other one rests, and later ranks before what
 * filled that one.
 */
const ANY = [-130, -112, -106, ...APART];

const schedulesOf = (prices: readonly number[]): fc.Arbitrary<Schedule> =>
  fc
    .array(
      fc.record({
        side: fc.constantFrom<Name>('home', 'away'),
        odds: fc.constantFrom(...prices),
        risk: fc.constantFrom(5, 30, 100),
        at: fc.integer({ min: 0, max: SECONDS }).map((n) => n / 2 + 0.25),
        lasts: fc.option(fc.integer({ min: 1, max: SECONDS / 2 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((orders) =>
      Object.fromEntries(
        orders.map(({ lasts, ...order }, index): [string, Scheduled] => [
          `o${index}`,
          lasts === undefined ? order : { ...order, until: order.at + lasts },
        ]),
      ),
    );

async function* eventsOf({ lines }: MadeTape): AsyncGenerator<readonly MarketEvent[], void, void> {
  const decoder = new TapeDecoder('made');
  yield lines.slice(1).flatMap((line) => decoder.read(JSON.parse(line) as Parameters<typeof decoder.read>[0]));
}

const playIn = (
  market: Recorded,
  orders: Schedule,
  scenario: Scenario,
  looksAhead = true,
): Promise<Stories<Schedule>> => playEvents([eventsOf(market.tape)], orders, scenario, looksAhead);

// ——— laws

const grouped = fc.array(fc.array(changes, { minLength: 1, maxLength: 3 }), {
  minLength: 5,
  maxLength: SECONDS,
  size: 'max',
});

const depths = fc.option(fc.constantFrom(2, 4), { nil: undefined, freq: 2 });

describe('any schedule of orders in any recorded market', () => {
  it('fills each order as much or more in a more optimistic scenario', TIMEOUT, async () => {
    let compared = 0;
    let apart = 0;
    const total = (stories: Stories<Schedule> = {}): number =>
      Object.values(stories).reduce((sum, story) => sum + filledOf(story), 0);
    await fc.assert(
      fc.asyncProperty(grouped, depths, schedulesOf(APART), async (steps, depth, orders) => {
        const market = recorded(steps, depth);
        const stories: Stories<Schedule>[] = [];
        for (const scenario of SCENARIOS) stories.push(await playIn(market, orders, scenario));
        // An order that is refused in one scenario only, since what it would cross was used in another, makes
        // two schedules.
        const refused = stories.map((story) => Object.keys(orders).filter((name) => story[name]?.end === 'refused'));
        fc.pre(refused.every((names) => names.join() === refused[0]?.join()));
        compared += 1;
        if (total(stories[2]) > total(stories[0])) apart += 1;
        for (const name of Object.keys(orders)) {
          const [pessimistic = 0, calibrated = 0, optimistic = 0] = stories.map((story) =>
            filledOf(story[name] ?? { fills: [], end: 'open' }),
          );
          expect(pessimistic, `${name}: pessimistic against calibrated`).toBeLessThanOrEqual(calibrated + ROUNDING);
          expect(calibrated, `${name}: calibrated against optimistic`).toBeLessThanOrEqual(optimistic + ROUNDING);
        }
      }),
      SETTINGS,
    );
    // the law says something only where the scenarios differ
    expect(compared).toBeGreaterThan(RUNS / 2);
    expect(apart).toBeGreaterThan(RUNS / 6);
  });

  it('uses no recorded unit twice, by takes or by crossing', TIMEOUT, async () => {
    const single = fc.array(
      changes.map((change) => [change]),
      { minLength: 5, maxLength: SECONDS, size: 'max' },
    );
    const played = fc.tuple(fc.constantFrom(...SCENARIOS), fc.boolean());
    let filled = 0;
    await fc.assert(
      fc.asyncProperty(single, schedulesOf(ANY), played, async (steps, orders, [scenario, looksAhead]) => {
        const market = recorded(steps);
        const stories = await playIn(market, orders, scenario, looksAhead);
        // one row changes in each frame, so each fill is due to one row: units that were taken of it, or that
        // crossed
        const used = new Map<string, number>();
        for (const [name, { fills }] of Object.entries(stories)) {
          const { odds, side } = orders[name] as Scheduled;
          for (const [second, dollars] of fills) {
            const cause = market.changed.get(second);
            if (cause === undefined) throw new Error(`filled at ${second}, when nothing changed`);
            const { win = 1 } = market.first.get(cause.id) ?? {};
            // what the order wins by a fill is the stake that it met
            const stake = (dollars * odds) / 100;
            used.set(cause.id, (used.get(cause.id) ?? 0) + (cause.side === side ? stake / win : stake));
            filled += 1;
          }
        }
        for (const [id, units] of used)
          expect(units, `${id} of ${market.first.get(id)?.left}`).toBeLessThanOrEqual(
            (market.first.get(id)?.left ?? 0) + ROUNDING,
          );
      }),
      { ...SETTINGS, numRuns: 4 * RUNS },
    );
    expect(filled).toBeGreaterThan(4 * RUNS);
  });
});
