// Writes the figures of a run to the ledger: those of each fill when they change, and a row for the run every
// five minutes.
import { MARKOUT_SECONDS } from '../domain/index.ts';
import { runOf } from '../account/index.ts';
import type { Ledger } from './ledger.ts';
import type { Value } from './schema.ts';
import type { GroupSums, LiveFigures, RunFill } from '../run/index.ts';
import {
  ATTRIBUTION_KEYS,
  ATTRIBUTIONS,
  markoutOf,
  partsOfFill,
  pickedOffSoFar,
  positionBefore,
} from '../run/index.ts';

const EVERY_MS = 5 * 60_000;

export class LedgerFigures {
  readonly #ledger: Pick<Ledger, 'write'>;
  readonly #live: LiveFigures;
  #turn = 0;
  #rowAt: number | undefined;

  constructor(ledger: Pick<Ledger, 'write'>, live: LiveFigures) {
    this.#ledger = ledger;
    this.#live = live;
  }

  /** Call it after the figures and the rows of fills were updated. */
  step(): void {
    const { changed, t } = this.#live;
    for (const fill of changed) if (fill.role !== undefined) this.#writeFill(fill);
    this.#rowAt ??= t + EVERY_MS;
    if (t < this.#rowAt) return;
    this.#rowAt = t + EVERY_MS;
    this.#writeRun();
  }

  /** Ends the run and writes its last row. */
  endRun(): void {
    this.#live.endRun();
    this.#writeRun();
  }

  /** Prices are those of the backed side, money is micro-dollars. */
  #writeFill(fill: RunFill): void {
    const { txId, f0, fc, ref, ageMs, queuePlaced, queueFilled, reason } = fill;
    const { spread, drift, clv } = partsOfFill(fill);
    const before = positionBefore(fill);
    const markouts = Object.fromEntries(
      MARKOUT_SECONDS.flatMap((seconds) => {
        const money = markoutOf(fill, seconds);
        return money === undefined ? [] : [[seconds, money]];
      }),
    );
    this.#ledger.write('figuresOfFill', {
      txId,
      f0: f0 ?? null,
      fc: fc ?? null,
      markouts: JSON.stringify(markouts),
      orderRun: ref === undefined ? null : runOf(ref),
      ageMs: ageMs === undefined ? null : Math.round(ageMs),
      queuePlaced: queuePlaced ?? null,
      queueFilled: queueFilled ?? null,
      reason: reason ?? null,
      beforeFirst: before.first,
      beforeSecond: before.second,
      pickedOff: pickedOffSoFar(fill) ?? null,
      spread: spread ?? null,
      drift: drift ?? null,
      clv: clv ?? null,
      keys: JSON.stringify(Object.fromEntries(ATTRIBUTIONS.map((by) => [by, ATTRIBUTION_KEYS[by](fill)]))),
    });
  }

  #writeRun(): void {
    const { sums, figures, t } = this.#live;
    const { quoting, permits, inventory, pickedOff } = figures;
    this.#turn += 1;
    this.#ledger.write('runFigures', {
      turn: this.#turn,
      at: Math.round(t),
      ...moneyOf(sums.all),
      late: pickedOff.latency,
      mispriced: pickedOff.pricing,
      lost: sums.lost,
      twoSided: quoting.twoSided,
      atBest: quoting.atBest,
      meanDistance: quoting.meanDistance,
      quoteHours: quoting.quoteHours,
      orders: quoting.orders,
      cancelsPerFill: quoting.cancelsPerFill,
      medianLifeMs: quoting.medianLifeMs,
      place: permits.place,
      cancel: permits.cancel,
      pnlPerPlace: micros(permits.pnlPerPlace),
      spreadPerPlace: micros(permits.spreadPerPlace),
      clvPerPlace: micros(permits.clvPerPlace),
      meanWaitMs: permits.meanWaitMs,
      staleness: micros(permits.staleness),
      shadowPrice: micros(permits.shadowPrice),
      inventoryMost: micros(inventory.most),
      inventoryMean: micros(inventory.mean),
      worst: micros(inventory.worst),
      maxDrawdown: micros(inventory.maxDrawdown),
      atLimits: inventory.atLimits,
      heldBack: JSON.stringify(inventory.heldBack),
    });
  }
}

const micros = (dollars: number | null): number | null => (dollars === null ? null : Math.round(dollars * 1e6) + 0);

/** Sums as columns, micro-dollars. Null: known for no fill. */
function moneyOf({ known, fills, risk, ...sums }: Readonly<GroupSums>): Readonly<Record<string, Value>> {
  const orNull = (count: number, money: number): number | null => (count === 0 ? null : money);
  return {
    fills,
    risk,
    spread: orNull(known.parts, sums.spread),
    drift: orNull(known.parts, sums.drift),
    luck: orNull(known.parts, sums.luck),
    commission: orNull(known.parts, sums.commission),
    pnl: orNull(known.parts, sums.pnl),
    unpriced: sums.unpriced,
    unpricedPnl: sums.unpricedPnl,
    captured: orNull(known.captured, sums.captured),
    clv: orNull(known.clv, sums.clv),
  };
}
