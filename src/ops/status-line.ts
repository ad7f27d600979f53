// The status line of a terminal, which refreshes in place.
import { ERASE_LINE, moneyText, printable } from '../domain/index.ts';
import type { CoreStatus } from '../engine/index.ts';
import type { BotFigures } from './bot-figures.ts';

export type LineState = CoreStatus & Pick<BotFigures, 'ages' | 'limits'>;

const age = (up: boolean, seconds: number | undefined): string =>
  !up ? 'DOWN' : seconds === undefined ? 'up' : `${seconds.toFixed(seconds < 10 ? 1 : 0)}s`;

/** The line's text, at most `width` characters. */
export function statusLine(state: LineState, width: number): string {
  const parts = [
    state.stopping ? 'stopping' : state.closed === undefined ? 'quoting' : `waiting: ${state.closed}`,
    `markets ${state.markets}`,
    `quotes ${state.resting}/${state.wanted}`,
    `fills ${state.fills} (${moneyText(state.riskFilled, 0)})`,
    `inventory ${moneyText(state.inventory, 0)}`,
    `pnl ${moneyText(state.pnl.marked)} worst ${moneyText(state.pnl.worst)}`,
    `permits ${state.permits.place}/${state.limits.place} ${state.permits.cancel}/${state.limits.cancel}`,
    `feeds ${age(state.feeds.prices, state.ages.prices)} ${age(state.feeds.user, state.ages.user)}`,
    ...(state.unknown.now > 0 ? [`UNKNOWN ${state.unknown.now}`] : []),
  ];
  const texts = [parts.join(' · '), compactLine(state, true), compactLine(state, false)];
  const text = texts.find(({ length }) => length <= width) ?? compactLine(state, false);
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** A shorter line for narrow terminals: the values of permits and feeds matter more than their labels. */
function compactLine(state: LineState, hasInventory: boolean): string {
  const seconds = (up: boolean, since: number | undefined): string =>
    age(up, since === undefined ? undefined : Math.round(since)).replace('.0', '');
  return [
    state.stopping ? 'stopping' : state.closed === undefined ? 'quoting' : 'waiting',
    ...(state.unknown.now > 0 ? [`UNKNOWN ${state.unknown.now}`] : []),
    `${state.markets} mkts ${state.resting}/${state.wanted}`,
    `fills ${state.fills}`,
    ...(hasInventory ? [`inv ${moneyText(state.inventory, 0)}`] : []),
    `pnl ${moneyText(state.pnl.marked, 0)}/${moneyText(state.pnl.worst, 0)}`,
    `${state.permits.place}p ${state.permits.cancel}c`,
    `${seconds(state.feeds.prices, state.ages.prices)} ${seconds(state.feeds.user, state.ages.user)}`,
  ].join('  ');
}

/** Draws the line on a terminal and erases it at the end. */
export class StatusLine {
  readonly #out: NodeJS.WriteStream;
  readonly #timer: NodeJS.Timeout;

  constructor(out: NodeJS.WriteStream, state: () => LineState, everyMs = 250) {
    this.#out = out;
    this.#timer = setInterval(() => {
      this.#draw(statusLine(state(), (out.columns || 80) - 3));
    }, everyMs);
  }

  #draw(text: string): void {
    this.#out.write(`${ERASE_LINE}${printable(text)}`);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#draw('');
  }
}
