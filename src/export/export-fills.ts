// Exports the fills of a journal, folded from its events: the columns of `fills.csv` of a backtest.
import type { EventOf, RunEvent, TxId } from '../domain/index.ts';
import { headerOf } from '../journal/index.ts';
import type { FillCell, FillKind } from '../run/index.ts';
import { FILL_COLUMNS, FillBook, fillCells, readEvents } from '../run/index.ts';
import type { Column, ColumnKind, Row } from '../table/index.ts';

const KINDS: Readonly<Record<FillKind, ColumnKind>> = {
  text: 'text',
  time: 'time',
  money: 'number',
  price: 'number',
  number: 'number',
  flag: 'flag',
};
export const FILL_TABLE: readonly Column[] = FILL_COLUMNS.map(({ name, kind }) => ({ name, kind: KINDS[kind] }));

/** The rows of a journal. `incomplete`: why some are missing. Undefined: none is. */
export type FillRows = { readonly rows: readonly Row[]; readonly incomplete: string | undefined };

/**
 * Reads the fills of a journal, oldest first.
 * @throws OddsmakerError when it cannot be read at all
 */
export async function fillRows(journal: string, scenario: string): Promise<FillRows> {
  const fold = new FillFold();
  const header = await headerOf(journal);
  const { tear, invalid, difference } = await readEvents(
    journal,
    header,
    'reading',
    ({ t }, events) => fold.applyEvents(t, events),
    { withoutPrices: true },
  );
  const incomplete =
    (difference === undefined ? undefined : `${difference}; it was added up to there`) ??
    invalid ??
    (tear === undefined ? undefined : `it breaks off behind record ${tear.seq}`);
  return { rows: fold.rowsOf(scenario), incomplete };
}

/** Of a fill: the run that booked it, and whether an order of a bot made it. */
type Booked = { readonly run: string | undefined; isOwn: boolean };

class FillFold {
  readonly #book = new FillBook();
  readonly #booked = new Map<TxId, Booked>();
  /** Fills whose market is not known yet. */
  readonly #unplaced = new Map<TxId, { readonly t: number; readonly event: EventOf<'Fill'> }>();
  #run: string | undefined;

  applyEvents(t: number, events: readonly RunEvent[]): void {
    for (const event of events)
      if (event.type === 'Fill') this.#add(t, event);
      else {
        if (event.type === 'RunStarted') this.#run = event.run;
        this.#book.applyEvent(event);
      }
  }

  #add(t: number, event: EventOf<'Fill'>): void {
    const { txId, isOwn } = event;
    const known = this.#booked.get(txId);
    if (known === undefined) this.#booked.set(txId, { run: this.#run, isOwn });
    // the order that made it may become known later
    else known.isOwn ||= isOwn;
    const isPlaced = event.market !== undefined && event.side !== undefined;
    // booked when it was first reported
    const first = this.#unplaced.get(txId)?.t ?? t;
    this.#book.addFill(event, first);
    if (isPlaced) this.#unplaced.delete(txId);
    else this.#unplaced.set(txId, { t: first, event });
  }

  rowsOf(scenario: string): readonly Row[] {
    const placed = [...this.#book.fills].map((fill) => ({
      t: fill.t,
      tx: fill.txId,
      row: fillCells(scenario, { fill, run: undefined, isOwn: false, ...this.#booked.get(fill.txId) }),
    }));
    const others = [...this.#unplaced].map(([tx, { t, event }]) => ({ t, tx, row: this.#rowOf(scenario, t, event) }));
    return [...placed, ...others].sort((a, b) => a.t - b.t || (a.tx < b.tx ? -1 : 1)).map(({ row }) => row);
  }

  /** The row of a fill in a market that is not known: what it cost, and no more. */
  #rowOf(scenario: string, t: number, { txId, gameId, odds, risk, win }: EventOf<'Fill'>): readonly FillCell[] {
    const { run, isOwn } = this.#booked.get(txId) ?? { run: undefined, isOwn: false };
    const cells: Readonly<Record<string, FillCell>> = {
      ...{ scenario, time: Math.round(t), game: gameId, odds, risk: risk / 1e6, win: win / 1e6 },
      ...{ tx: txId, run, own: isOwn },
    };
    return FILL_COLUMNS.map(({ name }) => cells[name]);
  }
}
