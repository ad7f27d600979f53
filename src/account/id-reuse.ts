// Candidate orders of an id. Where an edit keeps the id (wire profile, `editKeepsId`), several own orders
// have it, one after the other. Invariant: a report without a reference is matched by price and size; when
// more than one order fits, it is credited to none.
import { isActive, microsOfCents } from '../domain/index.ts';
import type { OrderTerms } from './facts.ts';
import type { Name, OwnOrder } from './records.ts';

const fitsTerms = ({ rung, risk }: OwnOrder, terms: OrderTerms): boolean =>
  (terms.rung === undefined || terms.rung === rung) && (terms.size === undefined || terms.size === microsOfCents(risk));

/** The order that has this id now, its former orders, and those that unanswered edits may have put there. */
function* ordersOf(name: Name, unknown: Iterable<OwnOrder>): Iterable<OwnOrder> {
  for (let record: Name | undefined = name; record !== undefined; record = record.former)
    if (record.holder !== undefined) yield record.holder;
  yield* awaitedOf(name, unknown);
}

/** The orders that unanswered edits may have put in the place of the order with this id. */
export function* awaitedOf({ holder, ending }: Name, unknown: Iterable<OwnOrder>): Iterable<OwnOrder> {
  const by = ending?.by;
  if (by !== undefined && by.id === undefined && isActive(by.status)) yield by;
  if (holder === undefined) return;
  for (const order of unknown) if (order.id === undefined && order.replaces === holder && order !== by) yield order;
}

/** The orders that a report may concern: all that have, had or may have this id and fit the terms. */
export function candidatesOf(
  name: Name,
  terms: OrderTerms | undefined,
  unknown: Iterable<OwnOrder>,
): readonly OwnOrder[] {
  const orders = [...ordersOf(name, unknown)];
  return terms === undefined ? orders : orders.filter((order) => fitsTerms(order, terms));
}
