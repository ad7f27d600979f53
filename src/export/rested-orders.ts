// Exports `orders.csv` of a backtest with the columns that a journal's orders and quotes have. The file has the
// orders that rested, and not what their requests met, so those cells stay empty.
import { marketNamed } from '../domain/index.ts';
import type { Column, Row } from '../table/index.ts';

/** The endings of `orders.csv` in the words of a journal. */
const ENDINGS: Readonly<Record<string, string>> = { cancelled: 'cancel', edited: 'edit' };

/** A table with its columns. `rows` reads it from its beginning. */
type ReadTable = { readonly columns: readonly Column[]; readonly rows: () => AsyncIterable<Row> };

/** The orders of an `orders.csv`, as rows of `columns`. */
export async function* restedRows(orders: ReadTable, columns: readonly Column[]): AsyncGenerator<Row, void, void> {
  for await (const row of orders.rows()) {
    const cells = Object.fromEntries(
      orders.columns.map(({ name }, index): [string, Row[number]] => [name, row[index]]),
    );
    const text = (name: string): string => String(cells[name] ?? '');
    const market = marketNamed(text('market'));
    const known: Readonly<Record<string, Row[number]>> = {
      ...cells,
      run: 'backtest',
      answered_at: cells['rested_from'],
      ended_at: cells['rested_to'],
      type: market?.type,
      line: market?.line,
      fate: 'accepted',
      said: cells['reason'],
      ended_as: ENDINGS[text('ended_as')] ?? cells['ended_as'],
    };
    yield columns.map(({ name }) => known[name]);
  }
}
