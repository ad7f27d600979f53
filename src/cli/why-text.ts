// The story of an order for people: its names, one row an event, and the outcome in one line. Texts of the
// exchange are shown unchanged, without terminal control characters. event-text.ts has the words of an event.
import type { OrderName, Story, StoryEvent } from '../run/index.ts';
import type { Why } from '../domain/index.ts';
import { moneyText, printable } from '../domain/index.ts';
import { eventText, oddsText } from './event-text.ts';

const CAUSES: Readonly<Record<Why['cause'], string>> = {
  empty: 'nothing rested where something was wanted',
  generous: 'the resting price gave away more than was wanted',
  shy: 'the resting price gave away less than was wanted',
  oversized: 'more rested than was wanted',
  refill: 'less than half of what was wanted was left',
  denied: 'a control denied what rested',
  unwanted: 'nothing was wanted there any more',
  doubled: 'it was the second order in its slot',
  foreign: 'it was an external order',
  stopping: 'the run was ending',
};

const WAYS: Readonly<Record<Why['over'], string>> = {
  wait: 'waiting',
  leave: 'leaving it there',
  edit: 'an edit',
  'cancel-and-place': 'a cancel and a place',
};

/** Where the text of a row begins. */
const INDENT = ' '.repeat(34);

/** @param isWhole the journal has its end */
export function storyText(story: Story, isWhole: boolean): string {
  const rows: string[] = [...headOf(story), ''];
  let day = '';
  for (const event of story.events) {
    const date = event.at.slice(0, 10);
    if (date !== day) rows.push(`${date}, UTC; ms since its first request; #: record of the journal`);
    day = date;
    const [first, ...rest] = linesOf(event);
    rows.push(
      `${event.at.slice(11, 23)}  ${sinceOf(event.ms).padStart(9)}  ${`#${event.seq}`.padEnd(8)} ${first}`,
      ...rest.map((line) => `${INDENT}${line}`),
    );
  }
  return `${[...rows, '', `In the end: ${outcomeOf(story, isWhole)}`].map(printable).join('\n')}\n`;
}

function headOf({ order }: Story): string[] {
  const { market, odds, risk } = order;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['order', order.ref ?? 'it has no own reference'],
    ['id', order.orderIds.length === 0 ? 'none is known' : order.orderIds.join(', then ')],
    [
      'game',
      order.gameId === undefined
        ? undefined
        : `${order.game ?? 'not named'}${order.league === undefined ? '' : `, ${order.league}`} (${order.gameId})`,
    ],
    ['market', market === undefined ? undefined : marketText(market)],
    ['size', risk === undefined ? undefined : `${moneyText(risk)}${atText(odds)}`],
    ['whose', order.ofThisRun ? undefined : 'no request of this run placed it'],
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

/** The rows of one event, with its cause. */
function linesOf(event: StoryEvent): readonly string[] {
  switch (event.type) {
    case 'IntentBrought':
      return [`${'IntentBrought'.padEnd(19)} ${inputText(event)}`];
    case 'PermitGranted':
      return [`${'PermitGranted'.padEnd(19)} ${event.bucket} permit ${event.permit}`];
    case 'OrderSubmitted':
      return [eventText(event), ...whyText(event.why)];
    case 'CancelSubmitted':
      return [eventText(event), ...whyText(event.orders[0]?.why)];
    default:
      return [eventText(event)];
  }
}

function inputText(event: Extract<StoryEvent, { type: 'IntentBrought' }>): string {
  const { input, market, best, gameId } = event;
  const feed = event.feed === 'user' ? 'user' : 'price';
  const source =
    input === 'frame'
      ? `${event.event ?? 'a frame'} of the ${feed} feed`
      : input === 'feed'
        ? `the ${feed} feed came or went`
        : input === 'operator'
          ? `operator: ${event.command ?? ''}`
          : (SOURCES[input] ?? input);
  const about = [market, gameId].filter((text) => text !== undefined).join(' of ');
  const offer = best === undefined ? '' : `, best ${oddsText(best.odds)} for ${moneyText(best.left)}`;
  return `${source}${about === '' ? '' : `: ${about}`}${offer}`;
}

const SOURCES: Readonly<Record<string, string>> = { reply: 'the answer to a request', tick: 'time passed' };

const whyText = (why: Why | undefined): readonly string[] =>
  why === undefined
    ? []
    : [
        `why: ${CAUSES[why.cause]} (${why.cause})${typeof why.intent === 'number' ? `, by the intent of #${why.intent}` : ''}`,
        ...(why.said === undefined ? [] : [`     the strategy said: ${why.said}`]),
        ...(why.rank === undefined ? [] : [`     its market by value per permit: ${why.rank}`]),
        `     waiting would have cost ${moneyText(why.value / 1e6)}; it had waited ${spanOf(why.waitedMs)}`,
        `     rather than ${WAYS[why.over]}: ${why.because}`,
      ];

function outcomeOf({ order, events, outcome }: Story, isWhole: boolean): string {
  const { status, endedBy, restedMs, filled, risk, fills } = outcome;
  const size = risk === undefined ? '' : ` of ${moneyText(risk)}`;
  const took = fills === 0 ? 'nothing filled' : `${moneyText(filled)}${size} filled in ${count(fills, 'fill')}`;
  const rested = restedMs === undefined ? '' : ` after ${spanOf(restedMs)} at rest`;
  const end = isWhole ? 'where the journal ends' : 'where the journal breaks off';
  const last = events.findLast((event) => event.type === 'OrderRejected');
  switch (status) {
    case 'filled':
      return `filled whole${rested}, ${took}`;
    case 'cancelled':
      switch (endedBy) {
        case 'edit':
          return `replaced by ${order.replacedBy === undefined ? 'an edit' : nameText(order.replacedBy)}${rested}, ${took}`;
        case 'cancel':
          return `cancelled by the bot${rested}, ${took}`;
        case 'cancel-all':
          return `cancelled by the bot's cancel-all${rested}, ${took}`;
        default:
          return `ended by the exchange${rested}, without a request of the bot (it expired, the game began, or an operator ended it), ${took}`;
      }
    case 'refused':
      return `refused by the exchange${last === undefined ? '' : ` with ${last.status ?? 'no status'}, ${last.reason}`}; it never rested`;
    case 'never-landed':
      return 'never answered, and it never reached the book';
    case 'not-sent':
      return `its request never left${last === undefined ? '' : `: ${last.reason}`}`;
    case 'unknown':
      return `of unknown fate ${end}: it counts in full until evidence settles it; ${took}`;
    case 'external':
      return `it is no known order of this bot: ${took}`;
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

function marketText({ type, side, line }: NonNullable<Story['order']['market']>): string {
  const points = line === undefined ? '' : type === 'total' ? ` ${line}` : ` ${line > 0 ? '+' : ''}${line}`;
  return `${type} ${side}${points}`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
const atText = (odds: number | undefined): string => (odds === undefined ? '' : ` at ${oddsText(odds)}`);

/** A duration, short enough for a column. */
function spanOf(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms)} ms`;
  if (ms < 600_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 36_000_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

function sinceOf(ms: number): string {
  const sign = ms < 0 ? '-' : '+';
  return `${sign}${spanOf(Math.abs(ms))}`;
}
