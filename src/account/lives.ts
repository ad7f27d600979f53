// Where an edit keeps the id (wire profile, `editKeepsId`), several orders of ours have it, one after the other. What names no
// reference is told apart by its price and size; what may be of more than one of them is said of none.
import { isActive, microsOfCents } from '../domain/index.ts';
import type { OrderTerms } from './facts.ts';
import type { Name, OwnOrder } from './records.ts';

const isLike = ({ rung, risk }: OwnOrder, looks: OrderTerms): boolean =>
  (looks.rung === undefined || looks.rung === rung) && (looks.size === undefined || looks.size === microsOfCents(risk));

/** The order that has this id now, the former ones, and those that edits without an answer may have put there. */
function* ordersOf(name: Name, unknown: Iterable<OwnOrder>): Iterable<OwnOrder> {
  for (let life: Name | undefined = name; life !== undefined; life = life.former)
    if (life.holder !== undefined) yield life.holder;
  yield* awaitedOf(name, unknown);
}

/** Orders that edits may have put in the place of what has this id. */
export function* awaitedOf({ holder, ending }: Name, unknown: Iterable<OwnOrder>): Iterable<OwnOrder> {
  const by = ending?.by;
  if (by !== undefined && by.id === undefined && isActive(by.status)) yield by;
  if (holder === undefined) return;
  for (const order of unknown) if (order.id === undefined && order.replaces === holder && order !== by) yield order;
}

/** Whose it may be, of all orders that have, had or may have this id. */
export function candidatesOf(
  name: Name,
  looks: OrderTerms | undefined,
  unknown: Iterable<OwnOrder>,
): readonly OwnOrder[] {
  const orders = [...ordersOf(name, unknown)];
  return looks === undefined ? orders : orders.filter((order) => isLike(order, looks));
}
