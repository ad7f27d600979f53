// What the core says of the account as a whole: another bot of the instance, and what was made in the other player mode.
import { dollarsOfCents, dollarsOfMicros } from '../domain/index.ts';
import { namedMode, runOf } from '../account/index.ts';
import type { Parts } from './parts.ts';

/** Orders, and fills, that an alert names one by one. */
const NAMED = 100;

/**
 * An order of our instance rests that no journal here explains. Before the first place it is waited for; behind that the bot goes
 * on only where it knows that it was there first.
 */
export function judgeInstance({ account, buffer, manager, trading }: Parts): void {
  const { instance } = account;
  const [row] = instance.rows;
  if (row === undefined) {
    trading.wait('instance', undefined);
    return;
  }
  const { orderId, ref } = row;
  const run = runOf(ref);
  const what = `order ${orderId} bears orders.instance of this bot, and no journal here has its run ${run}`;
  const waits = manager.spent === 0;
  const goesOn = !waits && instance.isOldest;
  const does = waits ? 'this bot waits' : goesOn ? 'this one was there first and goes on' : 'this one halts';
  buffer.alertOnce(
    `run ${run}, ${does}`,
    'error',
    'SECOND_BOT',
    `another bot of this instance places orders on the account: ${does}`,
    { run, orderId, ref, orders: instance.rows.length },
  );
  if (waits) trading.wait('instance', `${what}: another bot trades, or left it`);
  else if (!goesOn) trading.standDown(`another bot trades: ${what}`);
}

/** The player mode changed (rules.md, 9): what may have been made in the other one, when that is noticed and at the end. */
export function nameOtherMode({ account, buffer, mode }: Parts): void {
  if (mode.halt?.error !== 'MODE_CHANGED') return;
  const { orders, fills } = account.ofOtherMode();
  buffer.alert('warn', 'MODE_CHANGED', 'orders and fills that are, or may be, of the other player mode', {
    orders: orders.slice(0, NAMED).map((order) => ({
      ref: order.ref,
      orderId: order.id?.orderId,
      status: order.status,
      risk: dollarsOfCents(order.risk),
      mode: namedMode(order) ?? 'not known',
    })),
    fills: fills.slice(0, NAMED).map(({ txId, risk, mode: of }) => ({
      txId,
      risk: dollarsOfMicros(risk),
      mode: of === 'other' ? mode.newest : 'not known',
    })),
    count: { orders: orders.length, fills: fills.length },
  });
}
