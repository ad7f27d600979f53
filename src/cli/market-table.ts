// The text of `ctl markets`: one row a market.
import { isoTime, printable } from '../domain/index.ts';
import type { Fields } from './fields.ts';
import { columnsText, like, listOf, partOf, signed, text } from './fields.ts';

const TITLES = [
  ...(['market', 'game', 'starts (UTC)', 'fair', 'first side', 'second side', 'pays', 'worst of game', ''] as const),
];

/** The markets that have a text in their id or game, in any case. */
export const marketsLike = (markets: unknown, part = ''): readonly Fields[] => like(markets, part, ['market', 'game']);

export function marketTable(markets: readonly Fields[]): string {
  // only where markets are ranked
  const areRanked = markets.some(({ select }) => Object.keys(partOf(select)).length > 0);
  const insert = (row: readonly string[], cell: string) => (areRanked ? row.toSpliced(-1, 0, cell) : row);
  const rows = markets.map((market) => insert(rowOf(market), standingOf(market)).map(printable));
  if (rows.length === 0) return 'no market\n';
  const titles = insert(TITLES, 'rank, value');
  return columnsText(titles, rows);
}

function rowOf(row: Fields): readonly string[] {
  const { market, game, start, live, fair, sides, position, said, quoted } = row;
  const held = heldBy(row);
  const orders = listOf(row['orders']);
  const [first, second] = Array.isArray(sides) ? (sides as readonly unknown[]) : [];
  const { first: firstResult, second: secondResult, staked } = partOf(position);
  const on = (side: unknown): string =>
    orders
      .filter((order) => order['side'] === side)
      .map(orderText)
      .join(', ');
  return [
    text(market),
    typeof row['part'] === 'string' ? `${text(game)} (${row['part']})` : text(game),
    `${typeof start === 'number' ? isoTime(start).slice(0, 16).replace('T', ' ') : '–'}${live === true ? ' live' : ''}`,
    typeof fair === 'number' ? fair.toFixed(4) : '–',
    `${text(first)} ${on(first) || '–'}`,
    `${text(second)} ${on(second) || '–'}`,
    staked === 0 ? '–' : `${signed(firstResult)} / ${signed(secondResult)}`,
    worstText(row),
    [
      ...heldElsewhere(row['elsewhere']),
      ...(quoted === false ? ['not quoted'] : []),
      ...(held.length > 0 ? [`held back by ${held.join(', ')}`] : []),
      ...(orders.length > 0 ? [] : Object.entries(partOf(said)).map(([name, reason]) => `${name}: ${text(reason)}`)),
    ].join('; '),
  ];
}

/** The place of a market by value per permit, or the gate that keeps it out, and what its quotes would bring. */
function standingOf({ select }: Fields): string {
  const { isSelected, rank, gate, value, perPermit } = partOf(select);
  if (typeof isSelected !== 'boolean') return '–';
  return [
    ...(isSelected ? [] : ['out']),
    typeof rank === 'number' ? `rank ${rank}` : text(gate),
    `${signed(value)} an hour`,
    `${signed(perPermit)} a permit`,
  ].join(', ');
}

/** What is held on other exchanges brings if the first side wins, and if the second does. */
function heldElsewhere(value: unknown): readonly string[] {
  const { first, second, isExpired } = partOf(value);
  if (typeof first !== 'number') return [];
  return [`held elsewhere ${signed(first)} / ${signed(second)}${isExpired === true ? ', expired' : ''}`];
}

/**
 * The worst result of the game; where parts of the game have orders or a position, also the worst result with
 * all parts.
 */
function worstText({ worstOfGame, worstWithParts }: Fields): string {
  if (typeof worstOfGame !== 'number') return '–';
  const isMore = typeof worstWithParts === 'number' && worstWithParts !== worstOfGame;
  return isMore ? `${signed(worstOfGame)}, ${signed(worstWithParts)} with all parts` : signed(worstOfGame);
}

/**
 * The controls that hold a market back, each once. The reason is shown where it says more than the name of
 * the control.
 */
function heldBy({ held, slots }: Fields): readonly string[] {
  const names = Array.isArray(held) ? [...new Set(held.map(String))] : [];
  return names.map((control) => {
    const reasons = listOf(slots)
      .filter((slot) => slot['control'] === control && WITH_REASON.has(control))
      .flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []));
    return [...new Set(reasons)].join(', ') || control;
  });
}

const WITH_REASON = new Set(['price-band', 'no-price', 'select']);

function orderText({ odds, risk, remaining, status }: Fields): string {
  const price = typeof odds === 'number' ? `${odds > 0 ? '+' : ''}${odds}` : '–';
  const size = typeof risk === 'number' && typeof remaining === 'number' ? `$${plain(remaining)}` : '–';
  const total = remaining === risk ? '' : ` of $${plain(Number(risk))}`;
  return `${price} ${size}${total}${status === 'open' ? '' : ` (${text(status)})`}`;
}

const plain = (dollars: number): string => (Number.isInteger(dollars) ? String(dollars) : dollars.toFixed(2));
