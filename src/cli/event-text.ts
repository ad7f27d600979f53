// The events of a run as text, one line an event, for people who read a finished or a running run.
import type { EventOf, MarketId, Micros, RunEvent, Side } from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, lineFor, marketOf, moneyText, printable } from '../domain/index.ts';

/** Fields that the text of an event already contains, or that do not fit into a line. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['type', 'seq', 't', 'at', 'ms', 'why', 'base', 'game', 'markets', 'fields', 'message', 'own'],
]);

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
      const target = scope === undefined ? orders.map(({ orderId }) => orderId).join(', ') : scopeText(scope);
      return `${target} (request ${request}${whyText(orders[0]?.why)})`;
    }
    case 'Fill': {
      const { txId, risk, odds, market, side, strategy, ref, isOwn } = event;
      const place = market === undefined || side === undefined ? 'a market that is not known' : placeText(market, side);
      const owner = isOwn ? `${strategy ?? 'own'}, ${ref ?? 'order not known'}` : 'not own';
      return `${moneyText(dollarsOfMicros(risk))} at ${oddsText(odds)} on ${place} (${owner}; ${txId})`;
    }
    case 'OrderAccepted':
    case 'OrderRejected':
    case 'OrderUnknown':
      return answerText(event);
    case 'OrderRested':
      return `${event.ref}: ${event.ahead === undefined ? 'its book is not known' : `${moneyText(dollarsOfMicros(event.ahead))} ahead of it, rank ${event.rank ?? '?'}`}${fromText(event.from)}`;
    case 'OrderEnded':
      return `${event.ref}: ${event.how} after ${Math.round(event.lifeMs)} ms, ${moneyText(dollarsOfMicros(event.filled))} filled${fromText(event.from)}`;
    case 'OrderMoved':
      return `${event.ref}: now ${placeText(event.market, event.side)}`;
    case 'OrderResolved':
      return `${event.ref}: ${event.as}${fromText(event.from)}`;
    case 'Evidence':
      return `${event.ref}: ${event.says}${fromText(event.from)}; believed ${event.status}, ${moneyText(dollarsOfMicros(event.filled))} filled, ${moneyText(dollarsOfMicros(event.mayFill))} may still fill`;
    case 'ExternalOrder':
      return `${event.orderId}: ${event.isOpen ? moneyText(dollarsOfMicros(event.risk)) : 'gone,'} at ${oddsText(event.odds)} on ${placeText(event.market, event.side)}`;
    case 'RequestAnswered':
      return `request ${event.request} (${event.kind}): ${event.status ?? event.failure ?? ''}${event.code === undefined ? '' : ` ${event.code}`} after ${event.latencyMs} ms`;
    case 'QuotingStarted':
      return `${event.market}${event.game === undefined ? '' : `: ${event.game.name}, ${event.game.league}`}`;
    case 'RegimeChanged':
      return `${event.market}: ${event.strategy} ${event.regime ?? 'as usual'}${event.before === undefined ? '' : `, before ${event.before}`}${event.reason === undefined ? '' : `: ${event.reason}`}`;
    case 'ValuePersisted':
      return `${event.strategy} for game ${event.game}: ${shortText(JSON.stringify(event.value))}`;
    case 'SeriesLogged':
      return `${event.strategy} in ${event.market ?? event.game}: ${event.points.map(({ name, value }) => `${name} ${value}`).join(', ')}`;
    case 'GameRisk':
      return riskText(event);
    case 'Sample':
      return sampleText(event);
    case 'CloseTaken':
      return `${event.market}${event.isInPlay ? ' in play' : ''}: ${pricesText(event.prices)}`;
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

function answerText(event: EventOf<'OrderAccepted' | 'OrderRejected' | 'OrderUnknown'>): string {
  const { ref, request, status, latencyMs } = event;
  const after = `${status ?? 'no answer'} to request ${request} after ${latencyMs} ms`;
  if (event.type === 'OrderAccepted')
    return `${ref}: ${after}, ${event.orderId === undefined ? 'and nothing of it rests' : `as ${event.orderId}`}`;
  const because = event.type === 'OrderRejected' && event.code !== undefined ? `${event.code}: ` : '';
  return `${ref}: ${event.type === 'OrderRejected' && !event.isSent ? 'it never left' : after} (${because}${event.reason})`;
}

const fromText = (from: EventOf<'Evidence'>['from'] | undefined): string =>
  from === undefined ? '' : `, by the ${from}`;

const pricesText = (prices: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(prices)
    .map(([source, p]) => `${source} ${p?.toFixed(4) ?? '?'}`)
    .join(', ');

function riskText({ game, worst, score }: EventOf<'GameRisk'>): string {
  const money = (micros: Micros): string => moneyText(dollarsOfMicros(micros));
  if (score === undefined) return `${game}: worst ${money(worst)}`;
  return `${game}: expected ${money(score.expected)}, shortfall ${money(score.shortfall)}, worst ${money(worst)}`;
}

/** The most characters of a value that are shown. */
const MOST_CHARACTERS = 80;

const shortText = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;

/** The fields of a sample that people read; the sums are for programs. */
function sampleText({ marked, worst, inventory, slots, permits }: EventOf<'Sample'>): string {
  const money = (name: string, micros: Micros | undefined): readonly string[] =>
    micros === undefined ? [] : [`${name} ${moneyText(dollarsOfMicros(micros))}`];
  return [
    ...money('marked', marked),
    ...money('worst', worst),
    ...money('inventory', inventory),
    ...(slots === undefined ? [] : [`${slots.resting} of ${slots.wanted} slots rest`]),
    ...(permits === undefined ? [] : [`permits ${permits.place} place, ${permits.cancel} cancel`]),
  ].join(', ');
}

/** Every field with its name. */
const plainText = (event: RunEvent): string =>
  Object.entries(event)
    .filter(([key, value]) => !LEFT_OUT.has(key) && value !== undefined)
    .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  const shownFields = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (shownFields.length === 0) return '';
  return ` (${shownFields.map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')})`;
}

export const oddsText = (odds: number): string => `${odds > 0 ? '+' : ''}${odds}`;

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
