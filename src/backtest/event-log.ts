// The event log of a scenario for a report: orders, answers, alerts and signals.
import type { ScenarioResult } from './result.ts';
import type { EventLog } from '../report/index.ts';

export const eventLogOf = ({
  orders,
  http,
  quotedShare,
  heldBack,
  idle,
  alerts,
  signals,
  end,
}: ScenarioResult): EventLog => ({
  placed: orders.placed,
  cancelled: orders.cancelled,
  refused: orders.refused,
  unknown: orders.unknown,
  refusals: orders.refusals,
  http,
  quotedShare,
  heldBack,
  idle,
  alerts,
  signals,
  end: end === null || end.exit === 0 ? null : `exit ${end.exit}, ${end.reason}`,
});
