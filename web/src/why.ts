// The state of each side of a market as text: what it waits for, what holds it, or since when it rests.
import { age, money } from './format.ts';
import type { Market, Select, Slot } from './wire.ts';

const CAUSES: Readonly<Record<string, string>> = {
  empty: 'to be placed',
  generous: 'to be moved: its price is too generous',
  shy: 'to be moved: its price is too shy',
  oversized: 'to be made smaller',
  refill: 'to be filled up',
  denied: 'to be cancelled',
  unwanted: 'to be cancelled',
  doubled: 'to be cancelled',
};

export function whyOf(market: Market, t: number): readonly string[] {
  if (!market.quoted) {
    if (market.live) return ['The game is in play, and markets.live is off.'];
    return [market.start !== null && market.start <= t ? 'The game has begun or ended.' : 'It is not quoted now.'];
  }
  const unsure = market.fresh?.findIndex((state) => state !== 'fresh') ?? -1;
  const lines: string[] = [];
  if (market.select !== null) lines.push(`${standingText(market.select)}.`);
  if (unsure >= 0) lines.push(`The book of ${market.sides[unsure as 0 | 1]} is ${market.fresh?.[unsure as 0 | 1]}.`);
  if (market.slots.length === 0) {
    const said = Object.entries(market.said).map(([strategy, reason]) => `${strategy}: ${reason}`);
    lines.push(`No quote: ${said.length === 0 ? 'no strategy gave a reason' : said.join('; ')}.`);
  }
  for (const slot of market.slots) lines.push(`${slot.side}: ${whyOfSlot(slot, market, t)}.`);
  return lines;
}

function whyOfSlot({ side, strategy, control, reason, cause, value, since }: Slot, market: Market, t: number): string {
  if (control !== null) return `held by ${heldText(control, reason)}`;
  const order = market.own.find((own) => own.side === side && own.strategy === strategy);
  const waits =
    cause === null
      ? undefined
      : `waits ${age(t - (since ?? t))} for a request worth ${money(value)}, ${CAUSES[cause] ?? cause}`;
  if (order === undefined) return waits ?? 'nothing rests, and nothing is wanted';
  if (order.status !== 'open') return `${order.status} since ${age(t - order.sentAt)}`;
  const ahead = order.ahead === 0 ? 'nothing ahead' : `${money(order.ahead, 0)} ahead`;
  return `rests ${age(t - order.sentAt)}, rank ${order.rank}, ${ahead}${waits === undefined ? '' : `; ${waits}`}`;
}

/** The control and the reason. A reason may already begin with its control. */
const heldText = (control: string, reason: string | null): string =>
  reason === null ? control : reason.startsWith(`${control}: `) ? reason : `${control} (${reason})`;

/** The place of a market by value per place permit. */
export function standingText({ selected, rank, gate, value, perPermit, reason }: Select): string {
  if (!selected) return `Not selected: ${(reason ?? gate ?? '').replace(/^select: /, '')}`;
  const place = rank === null ? `gate ${gate ?? ''}` : `rank ${rank}`;
  return `Selected: ${place}, ${money(value)} an hour, ${money(perPermit)} a permit`;
}

/** The worst state of a market in one line. */
export function shortWhy(market: Market): {
  readonly text: string;
  readonly level: 'good' | 'wait' | 'bad' | 'off';
} {
  if (!market.quoted) return { text: market.live ? 'in play' : 'not quoted', level: 'off' };
  if (market.select?.selected === false) return { text: market.select.reason ?? 'not selected', level: 'off' };
  const held = market.slots.find(({ control }) => control !== null);
  if (held !== undefined) {
    const { control, reason } = held;
    const says = control !== null && reason?.startsWith(`${control}: `) === true;
    return { text: `held: ${(says ? reason : control) ?? ''}`, level: 'bad' };
  }
  const uncertain = market.own.find(({ status }) => status.includes('unknown'));
  if (uncertain !== undefined) return { text: uncertain.status, level: 'bad' };
  if (market.slots.length === 0) {
    const [said = 'no quote'] = Object.values(market.said);
    return { text: said, level: 'off' };
  }
  const waits = market.slots.filter(({ cause }) => cause !== null);
  if (waits.length > 0) {
    const value = waits.reduce((sum, slot) => sum + (slot.value ?? 0), 0);
    return { text: `waits, worth ${money(value)}`, level: 'wait' };
  }
  const ranks = market.own.map(({ rank }) => rank);
  return ranks.length === 0
    ? { text: 'in flight', level: 'wait' }
    : { text: `rests, rank ${ranks.join(' · ')}`, level: 'good' };
}
