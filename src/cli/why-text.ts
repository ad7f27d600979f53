// The story of an order for people: its names, one row a record, and what became of it in one line. Texts of the exchange
// are shown as they came, but for what a terminal would act on.
import type {
  BestOffer,
  StoryFact,
  OrderName,
  Story,
  StoryEvent,
  ToldFact,
  ToldMarket,
  ToldWhy,
} from '../run/index.ts';
import { printable } from '../domain/index.ts';

const CAUSES: Readonly<Record<ToldWhy['cause'], string>> = {
  empty: 'nothing rested where something was wanted',
  generous: 'the resting price gave away more than was wanted',
  shy: 'the resting price gave away less than was wanted',
  oversized: 'more rested than was wanted',
  refill: 'less than half of what was wanted was left',
  denied: 'a control denied what rested',
  unwanted: 'nothing was wanted there any more',
  doubled: 'it was the second order in its slot',
  foreign: 'it was an order of somebody else',
  stopping: 'the run was ending',
};

const WAYS: Readonly<Record<ToldWhy['over'], string>> = {
  wait: 'waiting',
  leave: 'leaving it there',
  edit: 'an edit',
  'cancel-and-place': 'a cancel and a place',
};

/** Where the text of a row begins. */
const INDENT = ' '.repeat(43);

/** @param whole the journal has its end */
export function storyText(story: Story, whole: boolean): string {
  const rows: string[] = [...headOf(story), ''];
  let day = '';
  for (const event of story.events) {
    const date = event.at.slice(0, 10);
    if (date !== day) rows.push(`${date}, UTC; ms since its first request; #: record of the journal`);
    day = date;
    const { kind, lines } = rowOf(event, story);
    const [first = '', ...more] = lines;
    rows.push(
      `${event.at.slice(11, 23)}  ${sinceOf(event.ms).padStart(9)}  ${`#${event.seq}`.padEnd(8)} ${kind.padEnd(8)} ${first}`,
      ...more.map((line) => `${INDENT}${line}`),
    );
  }
  return `${[...rows, '', `In the end: ${outcomeOf(story, whole)}`].map(printable).join('\n')}\n`;
}

function headOf({ order }: Story): string[] {
  const { market, odds, risk } = order;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['order', order.ref ?? 'its reference is not told'],
    ['id', order.orderIds.length === 0 ? 'none was told' : order.orderIds.join(', then ')],
    [
      'game',
      order.gameId === undefined
        ? undefined
        : `${order.game ?? 'not named'}${order.league === undefined ? '' : `, ${order.league}`} (${order.gameId})`,
    ],
    ['market', market === undefined ? undefined : marketOf(market)],
    ['size', risk === undefined ? undefined : `${money(risk)}${at(odds)}`],
    ['whose', order.ofThisRun ? undefined : 'no request of this run asked for it'],
    ['replaced', order.replaces === undefined ? undefined : `${nameText(order.replaces)}, by an edit`],
    [
      'then',
      order.replacedBy !== undefined
        ? `${nameText(order.replacedBy)} replaced it by an edit`
        : order.next !== undefined
          ? `${nameText(order.next)} was the next in its slot`
          : undefined,
    ],
  ];
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [`${name.padEnd(10)}${text}`]));
}

type Row = { readonly kind: string; readonly lines: readonly string[] };

function rowOf(event: StoryEvent, story: Story): Row {
  const row = (kind: string, ...lines: readonly string[]): Row => ({ kind, lines });
  switch (event.type) {
    case 'inherited':
      return row('start', `a former run asked for it at ${event.sentAt}, and read no answer`);
    case 'intent':
      return row('intent', intentText(event));
    case 'permit':
      return row('permit', `${event.bucket} permit ${event.permit} is granted`);
    case 'request':
      return row('request', requestText(event, story), ...decidedText(event), ...event.why.flatMap(whyText));
    case 'answer':
      return row('answer', answerText(event));
    case 'failure':
      return row(
        'failure',
        `no answer to the ${event.request} (request ${event.req}) after ${spanOf(event.afterMs)}: ${event.failure}, ${event.detail}`,
      );
    case 'position':
      return row(
        'feed',
        `positionUpdate: ${KINDS[event.kind]}${
          event.remaining === undefined || event.kind === 'cancelled'
            ? ''
            : `, ${money(event.remaining)} left of ${money(event.offered)}${at(event.odds)}`
        }`,
      );
    case 'fill':
      return row(
        'fill',
        `${money(event.risk)}${at(event.odds)}, ${money(event.total)}${
          story.order.risk === undefined ? '' : ` of ${money(story.order.risk)}`
        } in all (txID ${event.txId}, told by ${SOURCES[event.by]})`,
      );
    case 'look-up':
      return row('look-up', `asked for by its ${event.by === 'order' ? 'id' : 'reference'} (request ${event.req})`);
    case 'looked-up':
      return row(
        'look-up',
        `${event.status === 0 ? 'no answer' : event.status} after ${spanOf(event.afterMs)}: ${LOOKED_UP[event.says]}${
          event.remaining === undefined || event.says !== 'open' ? '' : `, ${money(event.remaining)} left`
        }`,
      );
    case 'listed':
      return row(
        'list',
        `${event.shown ? 'among' : 'NOT among'} the ${count(event.of, 'open order')} of the account${
          event.remaining === undefined ? '' : `, ${money(event.remaining)} left`
        }${event.times === 1 ? '' : ` (${event.times} lists, the last at ${event.lastAt.slice(11, 23)})`}`,
      );
    case 'belief':
      return row('belief', beliefText(event), ...event.facts.map(factText));
    case 'alert':
      return row('alert', `${event.code}: ${event.message}${fieldsText(event.fields)}`);
  }
}

const KINDS: Readonly<Record<Extract<StoryFact, { type: 'position' }>['kind'], string>> = {
  posted: 'it rests',
  changed: 'it changed',
  'partly-taken': 'a part was taken',
  'fully-taken': 'all of it was taken',
  took: "it took another's offer",
  cancelled: 'cancelled',
};
const SOURCES: Readonly<Record<Extract<StoryFact, { type: 'fill' }>['by'], string>> = {
  feed: 'the user feed',
  answer: 'the answer',
  'look-up': 'the look-up',
  list: 'the list of plays',
};
const LOOKED_UP: Readonly<Record<Extract<StoryFact, { type: 'looked-up' }>['says'], string>> = {
  open: 'it is open',
  closed: 'it is closed',
  filled: 'it is not open, and has fills',
  nothing: 'the exchange knows nothing of it',
  unreadable: 'that tells nothing',
};

function intentText(event: Extract<StoryEvent, { type: 'intent' }>): string {
  const { input, market, best = [] } = event;
  const source =
    input === 'frame'
      ? `${event.event ?? 'a frame'} of the ${event.feed === 'user' ? 'user' : 'price'} feed`
      : input === 'reply'
        ? event.read === undefined
          ? 'the answer to a request'
          : `${event.read} read by REST`
        : input === 'feed'
          ? `the ${event.feed === 'user' ? 'user' : 'price'} feed came or went`
          : input === 'operator'
            ? `operator: ${event.command ?? ''}`
            : input === 'tick'
              ? 'time passed'
              : input;
  const about = market === undefined ? (event.gameId ?? '') : marketOf(market);
  const offers = best.length === 0 ? '' : `, best ${best.map((offer) => offerText(offer, best.length > 1)).join(', ')}`;
  return `${source}${about === '' ? '' : `: ${about}`}${offers}`;
}

const offerText = ({ side, odds, left, own }: BestOffer, sided: boolean): string =>
  `${sided && side !== undefined ? `${side} ` : ''}${oddsText(odds)} for ${money(left)}${own ? ' (own)' : ''}`;

function requestText(event: Extract<StoryEvent, { type: 'request' }>, { order }: Story): string {
  const { request, req, role, position, of, odds, risk, ref, other } = event;
  const batch = position === undefined || of === undefined ? '' : `, ${position} of ${of} in it`;
  const wanted = `${money(risk)}${at(odds)} as ${ref ?? ''}`;
  const what =
    request === 'place'
      ? `asks for ${wanted}`
      : request === 'edit'
        ? role === 'new'
          ? `asks for ${wanted} in place of ${other === undefined ? 'another' : nameText(other)}`
          : `moves it to ${wanted}`
        : request === 'cancel'
          ? 'cancels it'
          : `cancels everything ${scopeText(event.scope, order.game)}`;
  return `${request} (request ${req}${batch}) ${what}`;
}

const OCCASIONS: Readonly<Record<string, string>> = {
  frame: 'a frame came',
  permit: 'a permit came',
  reply: 'an answer came',
  failure: 'a request had failed',
  tick: 'time passed',
};

/** When it was decided, unless the intent itself tells; and what it was paid with. */
function decidedText(event: Extract<StoryEvent, { type: 'request' }>): readonly string[] {
  const { request, seq, on, permit, heldMs, why } = event;
  const bucket = request === 'cancel' ? 'cancel' : 'place';
  const told = [
    why.some(({ intent }) => intent === seq) ? undefined : `decided when ${OCCASIONS[on] ?? `${on} came`}`,
    permit === undefined
      ? undefined
      : `with ${bucket} permit ${permit}${heldMs === undefined ? '' : `, ${spanOf(heldMs)} in hand`}`,
  ].filter((text) => text !== undefined);
  return told.length === 0 ? [] : [told.join(', ')];
}

function scopeText(scope: Extract<StoryEvent, { type: 'request' }>['scope'], game: string | undefined): string {
  if (scope === undefined) return 'on the account';
  return 'game' in scope ? `in the game ${game ?? scope.game}` : `in the league ${scope.league}`;
}

const whyText = (why: ToldWhy): readonly string[] => [
  `why: ${CAUSES[why.cause]} (${why.cause})${why.intent === null ? '' : `, by the intent of #${why.intent}`}`,
  ...(why.said === undefined ? [] : [`     the strategy said: ${why.said}`]),
  `     waiting would have cost ${money(why.value)}; it had waited ${spanOf(why.waitedMs)}`,
  `     rather than ${WAYS[why.over]}: ${why.because}`,
];

function answerText(event: Extract<StoryEvent, { type: 'answer' }>): string {
  const { request, req, says, orderId, errorType, message, filled, retryAfterSeconds } = event;
  const told = [errorType, message].filter((text) => text !== undefined).join(': ');
  const because = told === '' ? '' : ` (${told})`;
  const word =
    says === 'accepted'
      ? orderId === undefined
        ? 'accepted, and nothing of it rests'
        : `accepted as ${orderId}`
      : says === 'refused'
        ? `refused${because}`
        : says === 'cancelled'
          ? 'it is cancelled'
          : says === 'not-cancelled'
            ? `it is NOT cancelled by this${because}`
            : says === 'taken'
              ? 'the exchange began'
              : `of this order it tells nothing certain${because}`;
  return (
    `${event.status} to the ${request} (request ${req}) after ${spanOf(event.afterMs)}${event.late ? ', late' : ''}: ${word}` +
    (filled === undefined ? '' : `, filled ${money(filled)}`) +
    (retryAfterSeconds === undefined ? '' : `, again after ${retryAfterSeconds} s`)
  );
}

const beliefText = ({ status, filled, mayStillFill }: Extract<StoryEvent, { type: 'belief' }>): string =>
  `${status}, ${money(filled)} filled, ${money(mayStillFill)} may still fill`;

const factText = ({ from, says, ref, orderId }: ToldFact): string =>
  `by the ${from} of ${[ref, orderId].filter((name) => name !== undefined).join(' and ')}: ${says}`;

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  const told = Object.entries(fields)
    .filter(([key, value]) => key !== 'ref' && key !== 'orderId' && key !== 'marketId' && value !== undefined)
    .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

function outcomeOf({ order, events, outcome }: Story, whole: boolean): string {
  const { status, endedBy, restedMs, filled, risk, fills } = outcome;
  const size = risk === undefined ? '' : ` of ${money(risk)}`;
  const took = fills === 0 ? 'nothing filled' : `${money(filled)}${size} filled in ${count(fills, 'fill')}`;
  const rested = restedMs === undefined ? '' : ` after ${spanOf(restedMs)} at rest`;
  const end = whole ? 'where the journal ends' : 'where the journal breaks off';
  const last = events.findLast((event) => event.type === 'answer' || event.type === 'failure');
  switch (status) {
    case 'filled':
      return `filled whole${rested}, ${took}`;
    case 'cancelled':
      switch (endedBy) {
        case 'edit':
          return `replaced by ${order.replacedBy === undefined ? 'an edit' : nameText(order.replacedBy)}${rested}, ${took}`;
        case 'cancel':
          return `cancelled by us${rested}, ${took}`;
        case 'cancel-all':
          return `cancelled by our cancel-all${rested}, ${took}`;
        default:
          return `ended by the exchange${rested}, without a request of ours (it expired, the game began, or an operator did), ${took}`;
      }
    case 'refused':
      return `refused by the exchange${last?.type === 'answer' ? ` with ${last.status}${last.message === undefined ? '' : `, ${last.message}`}` : ''}; it never rested`;
    case 'never-landed':
      return 'never answered, and it never reached the book';
    case 'not-sent':
      return `its request never left${last?.type === 'failure' ? `: ${last.detail}` : ''}`;
    case 'unknown':
      return `of unknown fate ${end}: it counts in full until evidence settles it; ${took}`;
    case 'external':
      return `it is no order of this bot that is known: ${took}`;
    case 'sending':
      return `its request was on the way ${end}`;
    case 'open':
    case 'moving':
    case 'cancelling':
    case 'cancelling-unknown':
      return `${status === 'open' ? 'at rest' : status === 'moving' ? 'its edit was on the way' : 'its cancel was on the way'} ${end}${rested}, ${took}`;
  }
}

export const nameText = ({ ref, orderId }: OrderName): string =>
  ref === undefined ? (orderId ?? 'an order without a name') : orderId === undefined ? ref : `${ref} (${orderId})`;

function marketOf({ type, side, line }: ToldMarket): string {
  const points = line === undefined ? '' : type === 'total' ? ` ${line}` : ` ${line > 0 ? '+' : ''}${line}`;
  return `${type}${side === undefined ? '' : ` ${side}`}${points}`;
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const oddsText = (odds: number): string => `${odds > 0 ? '+' : ''}${odds}`;
const at = (odds: number | undefined): string => (odds === undefined ? '' : ` at ${oddsText(odds)}`);

const money = (dollars: number | undefined): string =>
  dollars === undefined ? '?' : dollars > 0 && dollars < 0.005 ? 'less than $0.01' : `$${dollars.toFixed(2)}`;

function sinceOf(ms: number): string {
  const sign = ms < 0 ? '-' : '+';
  return `${sign}${spanOf(Math.abs(ms))}`;
}

/** Short enough for a column, exact enough for an argument. */
function spanOf(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms)} ms`;
  if (ms < 600_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 36_000_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
