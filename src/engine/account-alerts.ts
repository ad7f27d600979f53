// Alerts about the account as a whole: another bot of the instance, ungraded fills, orders and fills in the other player
// mode.
import { dollarsOfCents, dollarsOfMicros } from '../domain/index.ts';
import { namedMode, runOf } from '../account/index.ts';
import type { Parts } from './parts.ts';

/** Highest number of orders, and of fills, that an alert names. */
const NAMED = 100;

/**
 * Decides what to do about orders of this instance that no journal here explains. Before its first place the
 * bot waits. Afterwards it continues only when it knows that it is the oldest bot of the instance; otherwise
 * it halts.
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
  const finding = `order ${orderId} bears orders.instance of this bot, and no journal here has its run ${run}`;
  const waits = manager.spent === 0;
  const continues = !waits && instance.isOldest;
  const action = waits ? 'this bot waits' : continues ? 'this bot is the oldest and continues' : 'this bot halts';
  buffer.alertOnce(
    `run ${run}, ${action}`,
    'error',
    'SECOND_BOT',
    `another bot of this instance places orders on the account: ${action}`,
    { run, orderId, ref, orders: instance.rows.length },
  );
  if (waits) trading.wait('instance', `${finding}: another bot trades, or left it`);
  else if (!continues) trading.standDown(`another bot trades: ${finding}`);
}

/**
 * After a change of the player mode (rules.md, 9): names orders and fills that are, or may be, of the other
 * mode.
 */
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
    fills: fills.slice(0, NAMED).map(({ txId, risk, mode: fillMode }) => ({
      txId,
      risk: dollarsOfMicros(risk),
      mode: fillMode === 'other' ? mode.newest : 'not known',
    })),
    count: { orders: orders.length, fills: fills.length },
  });
}

/** After each list of the account: alerts about fills in ended games that the exchange has not graded. */
export function alertUngraded({ account, manager, mirror, ungraded }: Parts): void {
  for (const gameId of account.games.keys()) {
    const game = mirror.games.get(gameId)?.game;
    if (game?.ended !== true) continue;
    const open = [...account.holdings.openIn(gameId)].length;
    if (open === 0) ungraded.forget(gameId);
    else ungraded.applyEndedGame(gameId, game.eventName, open, manager.exposure.ownWorstOf(gameId));
  }
}
