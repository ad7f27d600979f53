// Exports the series that strategies logged, from the events of a journal.
import { eventsOfType } from '../journal/index.ts';
import { SERIES_COLUMNS, seriesCells } from '../run/index.ts';
import type { Column, Row } from '../table/index.ts';

export const SERIES_TABLE: readonly Column[] = SERIES_COLUMNS;

/** Yields the rows of a journal. A journal of format 1 has none. */
export async function* seriesOf(
  journal: string,
  scenario: string,
  run: string | undefined,
): AsyncGenerator<Row, void, void> {
  for await (const { t, event } of eventsOfType(journal, 'SeriesLogged')) yield* seriesCells(scenario, run, t, event);
}
