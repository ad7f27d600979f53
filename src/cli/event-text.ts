// What happened, in one line a event: for people who read a run from its beginning, or as it goes on.
import type { EventOf, MarketId, RunEvent, Side } from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, lineFor, marketOf, moneyText, printable } from '../domain/index.ts';

/** Fields that the words of an event say already, or that no line is the place for. */
const LEFT_OUT: ReadonlySet<string> = new Set(['type', 'why', 'base', 'game', 'markets', 'fields', 'message']);

export const eventText = (event: RunEvent): string => printable(`${event.type.padEnd(19)} ${wordsOf(event)}`);

function wordsOf(event: RunEvent): string {
  switch (event.type) {
    case 'OrderSubmitted': {
      const { ref, request, risk, odds, market, side, replaces, why } = event;
      const size = `${moneyText(dollarsOfCents(risk))} at ${oddsText(odds)}`;
      const instead = replaces === undefined ? '' : `, in place of ${replaces}`;
      return `${ref}: ${size} on ${placeText(market, side)}${instead} (request ${request}${whyText(why)})`;
    }
    case 'CancelSubmitted': {
      const { request, orders, scope } = event;
      const what = scope === undefined ? orders.map(({ orderId }) => orderId).join(', ') : scopeText(scope);
      return `${what} (request ${request}${whyText(orders[0]?.why)})`;
    }
    case 'Fill': {
      const { txId, risk, odds, market, side, strategy, ref, isOwn } = event;
      const place = market === undefined || side === undefined ? 'a market that is not known' : placeText(market, side);
      const whose = isOwn ? `${strategy ?? 'ours'}, ${ref ?? 'order not known'}` : 'not ours';
      return `${moneyText(dollarsOfMicros(risk))} at ${oddsText(odds)} on ${place} (${whose}; ${txId})`;
    }
    case 'Settled':
      return `${event.txId}: ${moneyText(dollarsOfMicros(event.profit))}, ${event.source}`;
    case 'Marked':
      return event.markets
        .map(
          ({ market, price, marked }) =>
            `${market} at ${price?.toFixed(4) ?? '?'}: ${moneyText(dollarsOfMicros(marked))}`,
        )
        .join(', ');
    case 'Alert': {
      const { level, code, message, fields } = event;
      return `${level} ${code}: ${message}${fieldsText(fields)}`;
    }
    case 'OperatorActed':
      return `${event.command} by ${event.by ?? 'the bot itself'}${event.reason === undefined ? '' : `: ${event.reason}`}${fieldsText(event.fields)}`;
    default:
      return plainText(event);
  }
}

/** Every field by its name. */
const plainText = (event: RunEvent): string =>
  Object.entries(event)
    .filter(([key, value]) => !LEFT_OUT.has(key) && value !== undefined)
    .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (said.length === 0) return '';
  return ` (${said.map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')})`;
}

const oddsText = (odds: number): string => `${odds > 0 ? '+' : ''}${odds}`;

function placeText(id: MarketId, side: Side): string {
  const market = marketOf(id);
  const line = lineFor(market, side);
  const points = line === undefined ? '' : ` ${market.type === 'spread' && line > 0 ? '+' : ''}${line}`;
  return `${market.type} ${side}${points} of ${market.gameId}`;
}

const whyText = (why: EventOf<'OrderSubmitted'>['why']): string => (why === undefined ? '' : `, ${why.cause}`);

function scopeText(scope: NonNullable<EventOf<'CancelSubmitted'>['scope']>): string {
  if (scope === 'account') return 'everything on the account';
  return 'game' in scope ? `everything in game ${scope.game}` : `everything in league ${scope.league}`;
}
