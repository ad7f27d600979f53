// One line that refreshes in place: what an operator wants to see at a glance.
import type { CoreStatus } from '../engine/index.ts';
import type { BotFigures } from './metrics.ts';

export type LineState = CoreStatus & Pick<BotFigures, 'ages' | 'limits'>;

const signed = (dollars: number): string => `${dollars < 0 ? '-' : '+'}$${Math.abs(dollars).toFixed(2)}`;
const age = (up: boolean, seconds: number | undefined): string =>
  !up ? 'DOWN' : seconds === undefined ? 'up' : `${seconds.toFixed(seconds < 10 ? 1 : 0)}s`;

/** The line's text, at most `width` characters. */
export function statusLine(state: LineState, width: number): string {
  const parts = [
    state.stopping ? 'stopping' : state.closed === undefined ? 'quoting' : `waiting: ${state.closed}`,
    `markets ${state.markets}`,
    `quotes ${state.resting}/${state.wanted}`,
    `fills ${state.fills} ($${state.riskFilled.toFixed(0)})`,
    `inventory $${state.inventory.toFixed(0)}`,
    `pnl ${signed(state.pnl.marked)} worst ${signed(state.pnl.worst)}`,
    `permits ${state.permits.place}/${state.limits.place} ${state.permits.cancel}/${state.limits.cancel}`,
    `feeds ${age(state.feeds.prices, state.ages.prices)} ${age(state.feeds.user, state.ages.user)}`,
    ...(state.unknown.now > 0 ? [`UNKNOWN ${state.unknown.now}`] : []),
  ];
  const long = parts.join(' · ');
  const text = long.length <= width ? long : compactLine(state);
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** The same in fewer words, for narrow terminals: the permits and feeds matter more than their labels. */
function compactLine(state: LineState): string {
  const whole = (dollars: number): string => `${dollars < 0 ? '-' : '+'}$${Math.abs(dollars).toFixed(0)}`;
  return [
    state.stopping ? 'stopping' : state.closed === undefined ? 'quoting' : 'waiting',
    ...(state.unknown.now > 0 ? [`UNKNOWN ${state.unknown.now}`] : []),
    `${state.markets} mkts ${state.resting}/${state.wanted}`,
    `fills ${state.fills}`,
    `inv $${state.inventory.toFixed(0)}`,
    `pnl ${whole(state.pnl.marked)} ${whole(state.pnl.worst)}`,
    `${state.permits.place}p ${state.permits.cancel}c`,
    `${age(state.feeds.prices, state.ages.prices)} ${age(state.feeds.user, state.ages.user)}`,
  ].join('  ');
}

/** Draws the line on a terminal and takes it away at the end. */
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
    this.#out.write(`\r\u001b[2K${text}`);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#draw('');
  }
}
