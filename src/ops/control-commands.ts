// What may be said on the control socket, one JSON object a line: {"command": "...", ...}. Parsed at the border, so that
// only well-formed inputs reach the core.
import type { GameId, Input, StrategyId } from '../domain/index.ts';
import { readSignals } from '../domain/index.ts';

export type ControlRequest =
  | { readonly type: 'status' }
  | { readonly type: 'markets' }
  /** The configuration is read again; `isDry`: it is only told what would come of it. */
  | { readonly type: 'reload'; readonly isDry: boolean }
  | {
      readonly type: 'params';
      readonly strategy: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** `then`: entered right behind it. */
  | {
      readonly type: 'input';
      readonly command: ControlCommand;
      readonly input: Input;
      readonly then?: Input;
    };

export type ControlReply =
  /** `status`: of all but `markets`, and signals, which may come often. */
  | {
      readonly ok: true;
      readonly done: string;
      readonly status?: unknown;
      readonly markets?: unknown;
      /** Of a reload. */
      readonly changed?: readonly string[];
      readonly later?: readonly string[];
      readonly replaced?: readonly string[];
    }
  | { readonly ok: false; readonly error: string };

export const CONTROL_COMMANDS = [
  'status',
  'markets',
  'pause',
  'resume',
  'reduce-only',
  'halt',
  'cancel-all',
  'settle',
  'unsettle',
  'signal',
  'reload',
  'params',
] as const;
export type ControlCommand = (typeof CONTROL_COMMANDS)[number];

/** Ids of games are opaque: whatever has no blank and is not absurdly long. */
const GAME_ID = /^[^\s\p{C}]{1,100}$/u;
const SCORE = /^(\d{1,4})-(\d{1,4})$/;

export const isControlCommand = (text: unknown): text is ControlCommand =>
  CONTROL_COMMANDS.some((command) => command === text);

const STRATEGY_ID = /^[\w-]{1,100}$/;

/** A request, or what is wrong with it. `by`: who says it, for the records. */
export function parseControl(message: unknown, by?: string): ControlRequest | string {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return 'expected a JSON object with "command"';
  const { command, gameId, score, values, ttl, keepQuoting, strategy, params, dry } = message as Readonly<
    Record<string, unknown>
  >;
  const who = by === undefined ? {} : { by };
  if (!isControlCommand(command)) return `expected "command" to be one of ${CONTROL_COMMANDS.join(', ')}`;
  if (command === 'status' || command === 'markets') return { type: command };
  if (command === 'signal') {
    const told = readSignals(values, ttl);
    return typeof told === 'string'
      ? `signal: ${told}`
      : { type: 'input', command, input: { type: 'signal', ...told } };
  }
  if (command === 'reload') {
    if (dry !== undefined && typeof dry !== 'boolean') return 'reload: expected "dry" to be true or false';
    return { type: 'reload', isDry: dry === true };
  }
  if (command === 'params') {
    if (typeof strategy !== 'string' || !STRATEGY_ID.test(strategy))
      return 'params: expected "strategy" to be the id of one';
    if (
      typeof params !== 'object' ||
      params === null ||
      Array.isArray(params) ||
      Object.keys(params).length === 0
    )
      return 'params: expected "params" to be an object of parameters by name';
    return { type: 'params', strategy, params: params as Readonly<Record<string, unknown>> };
  }
  if (strategy !== undefined) {
    if (command !== 'pause' && command !== 'resume') return `${command} is not for one strategy`;
    if (typeof strategy !== 'string' || !STRATEGY_ID.test(strategy))
      return `${command}: expected the id of a strategy`;
    return {
      ...{ type: 'input', command },
      input: { type: 'strategy', strategy: strategy as StrategyId, command, ...who },
    };
  }
  if (command === 'cancel-all') {
    if (keepQuoting !== undefined && typeof keepQuoting !== 'boolean')
      return 'cancel-all: expected "keepQuoting" to be true or false';
    // what is cancelled would be quoted again at once
    const pause: Input = { type: 'operator', command: 'pause', ...who };
    return {
      ...{ type: 'input', command, input: { type: 'operator', command, ...who } },
      ...(keepQuoting === true ? {} : { then: pause }),
    };
  }
  if (command !== 'settle' && command !== 'unsettle')
    return { type: 'input', command, input: { type: 'operator', command, ...who } };
  if (typeof gameId !== 'string' || !GAME_ID.test(gameId)) return `${command}: expected the id of a game`;
  if (command === 'unsettle')
    return { type: 'input', command, input: { type: 'unsettle', gameId: gameId as GameId, ...who } };
  const points = typeof score === 'string' ? SCORE.exec(score) : null;
  if (points === null)
    return 'settle: expected the final score as <home>-<away>, such as 101-99: two whole numbers up to 9999';
  const [, home, away] = points;
  return {
    type: 'input',
    command,
    input: { type: 'settle', gameId: gameId as GameId, home: Number(home), away: Number(away), ...who },
  };
}
