// One-line texts of inputs and commands, for people who read a journal.
import type { Command, Feed, Arrival, NewOrder, Read } from '../domain/index.ts';
import { dollarsOfCents, oddsOf, resultText } from '../domain/index.ts';

/** Maximum number of characters shown of a payload or a body. */
const MOST_CHARACTERS = 160;
/** Maximum number of orders or ids listed of one request. */
const MOST_NAMES = 2;

export const arrivalText = (input: Arrival): string => textOrJson(input, textOfArrival);
export const commandText = (command: Command): string => textOrJson(command, textOfCommand);

/** The text of a value. Falls back to JSON when the value has an unexpected shape. */
function textOrJson<T>(value: T, text: (value: T) => string): string {
  try {
    return text(value);
  } catch {
    return cut(JSON.stringify(value));
  }
}

function textOfArrival(input: Arrival): string {
  switch (input.type) {
    case 'boot':
      return `boot: run ${input.run}${
        input.unanswered === undefined ? '' : `, ${input.unanswered.length} orders of former runs unanswered`
      }${input.resting === undefined ? '' : `, ${input.resting.length} resting`}`;
    case 'session':
      return `session: ${input.username}, ${input.mode ?? 'mode unknown'}`;
    case 'session-lost':
      return `session lost: ${input.reason}`;
    case 'feed':
      return `${feedText(input.feed)} ${input.status}, epoch ${input.epoch}${input.reason === undefined ? '' : `: ${input.reason}`}`;
    case 'frame':
      return `${input.event} of the ${feedText(input.feed)}: ${cut(input.data)}`;
    case 'long-frame':
      return `${input.event} of the ${feedText(input.feed)}, ${input.bytes} bytes, dropped: ${cut(input.head)}`;
    case 'permit':
      return `permit: ${input.bucket} permit ${input.permit} is granted`;
    case 'recall':
      return `recall: ${input.permits} ${input.bucket} permits are wanted back`;
    case 'reply':
      return `${input.status} to request ${input.req}: ${cut(JSON.stringify(input.body) ?? '')}`;
    case 'failure':
      return `no answer to request ${input.req}: ${input.failure}, ${input.detail}`;
    case 'clock':
      return `clock: ${input.news}, by ${input.byMs} ms; the wall time may be off by ${input.uncertainMs} ms`;
    case 'tick':
      return 'tick: time passed';
    case 'signal':
      return `signal: ${listed(Object.entries(input.values).map(([name, value]) => `${name} ${value === null ? 'is withdrawn' : `is ${value}`}`))}, for ${input.ttlMs / 1000} s`;
    case 'persisted':
      return `persisted: ${input.strategy} left for game ${input.game}: ${cut(JSON.stringify(input.value))}`;
    case 'history':
      return `history: of ${input.markets.length} markets before the run`;
    case 'operator':
      return `operator: ${input.command}${input.reason === undefined ? '' : `, ${input.reason}`}`;
    case 'wait':
      return input.reason === undefined ? 'wait: over' : `wait: ${input.reason}`;
    case 'settle':
      return `settle: game ${input.gameId}, ${resultText('result' in input ? input.result : { home: input.home, away: input.away })}`;
    case 'unsettle':
      return `unsettle: game ${input.gameId}${input.types === undefined ? '' : `, ${input.types.join(', ')}`}`;
    case 'strategy-strike':
      return `strategy strike: ${input.strategy} took ${input.cpuMs} ms of CPU, ${input.wallMs} ms by the clock`;
    case 'strategy-fault':
      return `strategy fault: ${input.code} of ${input.strategy}, ${input.detail}`;
    default:
      return input.type;
  }
}

function textOfCommand(command: Command): string {
  switch (command.type) {
    case 'place':
      return `place (request ${command.req}, permit ${command.permit}): ${listed(command.orders.map(orderText))}`;
    case 'edit':
      return `edit (request ${command.req}, permit ${command.permit}): ${command.orderId} becomes ${orderText(command.order)}`;
    case 'cancel':
      return `cancel (request ${command.req}, permit ${command.permit}): ${listed(command.orderIds)}`;
    case 'cancel-all': {
      const { scope } = command;
      const where =
        scope === undefined ? 'the account' : 'game' in scope ? `game ${scope.game}` : `league ${scope.league}`;
      return `cancel-all (request ${command.req}): everything in ${where}`;
    }
    case 'read':
      return `read (request ${command.req}): ${readText(command.read)}`;
    case 'switch-mode':
      return `switch-mode (request ${command.req}): ${command.mode}`;
    case 'hold':
      return `hold: no ${command.bucket} permit for ${command.forMs} ms`;
    case 'return':
      return `return: ${command.bucket} permits ${command.permits.join(', ')}`;
    case 'wake':
      return `wake: at ${command.at} ms`;
    case 'alert':
      return `alert: ${command.level} ${command.code}, ${command.message} ${cut(JSON.stringify(command.fields))}`;
    case 'exit':
      return `exit: ${command.code}, ${command.reason}`;
  }
}

const orderText = ({ ref, market, side, rung, risk }: NewOrder): string => {
  const odds = oddsOf(rung);
  return `${ref} for $${dollarsOfCents(risk).toFixed(2)} on ${market.id} ${side} at ${odds > 0 ? '+' : ''}${odds}`;
};

function readText(read: Read): string {
  switch (read.what) {
    case 'league':
      return `league ${read.league}, page ${read.page}`;
    case 'game':
      return `game ${read.gameId}`;
    case 'reference':
      return `reference ${read.ref}`;
    case 'play':
      return `play ${read.txId}`;
    case 'order':
      return `order ${read.orderId}`;
    case 'open-orders':
    case 'plays':
    case 'user':
      return read.what;
  }
}

const feedText = (feed: Feed): string => (feed === 'prices' ? 'price feed' : 'user feed');

function listed(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join('; ')}${left > 0 ? ` and ${left} more` : ''}`;
}

const cut = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)`;
