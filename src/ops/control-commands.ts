// The commands of the control socket, one JSON object per line: {"command": "...", ...}. Parsed at the
// border, so that only well-formed inputs reach the core.
import type { GameId, GameResult, Input, MarketType, StrategyId } from '../domain/index.ts';
import { MARKET_TYPES, readResult, readSignals, unsafeKeyIn } from '../domain/index.ts';

export type ControlRequest =
  | { readonly type: 'status' }
  | { readonly type: 'markets' }
  | { readonly type: 'risk' }
  /** Reads the configuration again. `isDry`: only reports what would change. */
  | { readonly type: 'reload'; readonly isDry: boolean }
  | {
      readonly type: 'params';
      readonly strategy: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** Enters an input. `then`: the input that follows it at once. */
  | {
      readonly type: 'input';
      readonly command: ControlCommand;
      readonly input: Input;
      readonly then?: Input;
    };

export type ControlReply =
  /** `status`: present for all commands but `markets`, `risk` and `signal`; signals may come often. */
  | {
      readonly ok: true;
      readonly done: string;
      readonly status?: unknown;
      readonly markets?: unknown;
      readonly risk?: unknown;
      /**
       * Result of `reload` and `params`. `later`: changed keys that wait for the next start. `replaced`:
       * strategies.
       */
      readonly changed?: readonly string[];
      readonly later?: readonly string[];
      readonly replaced?: readonly string[];
      readonly changes?: readonly {
        readonly key: string;
        readonly before: unknown;
        readonly after: unknown;
      }[];
      readonly untyped?: string;
      readonly warnings?: readonly string[];
    }
  | { readonly ok: false; readonly error: string };

export const CONTROL_COMMANDS = [
  'status',
  'markets',
  'risk',
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

/** Game ids are opaque: any text without blanks, up to 100 characters. */
const GAME_ID = /^[^\s\p{C}]{1,100}$/u;
const SCORE = /^(\d{1,4})-(\d{1,4})$/;

export const isControlCommand = (text: unknown): text is ControlCommand =>
  CONTROL_COMMANDS.some((command) => command === text);

const STRATEGY_ID = /^[\w-]{1,100}$/;

/** Parses a message: a request, or a sentence about what is wrong. `by`: its sender, for the records. */
export function parseControl(message: unknown, by?: string): ControlRequest | string {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return 'expected a JSON object with "command"';
  const { command, gameId, score, winner, types, values, ttl, keepQuoting, strategy, params, dry, ...rest } =
    message as Message;
  const who = by === undefined ? {} : { by };
  if (!isControlCommand(command)) return `expected "command" to be one of ${CONTROL_COMMANDS.join(', ')}`;
  if (command === 'status' || command === 'markets' || command === 'risk') return { type: command };
  if (command === 'signal') {
    const signals = readSignals(values, ttl);
    // one bad value refuses the whole message: an operator sends all of it again
    const problem = typeof signals === 'string' ? signals : signals.slips.join('; ');
    return typeof signals === 'string' || problem !== ''
      ? `signal: ${problem}`
      : { type: 'input', command, input: { type: 'signal', ...signals.update } };
  }
  if (command === 'reload') {
    if (dry !== undefined && typeof dry !== 'boolean') return 'reload: expected "dry" to be true or false';
    return { type: 'reload', isDry: dry === true };
  }
  if (command === 'params') {
    if (typeof strategy !== 'string' || !STRATEGY_ID.test(strategy))
      return 'params: expected "strategy" to be the id of one';
    if (typeof params !== 'object' || params === null || Array.isArray(params) || Object.keys(params).length === 0)
      return 'params: expected "params" to be an object of parameters by name';
    const unsafe = unsafeKeyIn(params);
    if (unsafe !== undefined) return `params: ${unsafe.join('.')}: expected another name`;
    return { type: 'params', strategy, params: params as Readonly<Record<string, unknown>> };
  }
  if (strategy !== undefined) {
    if (command !== 'pause' && command !== 'resume') return `${command} is not for one strategy`;
    if (typeof strategy !== 'string' || !STRATEGY_ID.test(strategy)) return `${command}: expected the id of a strategy`;
    return { type: 'input', command, input: { type: 'strategy', strategy: strategy as StrategyId, command, ...who } };
  }
  if (command === 'cancel-all') {
    if (keepQuoting !== undefined && typeof keepQuoting !== 'boolean')
      return 'cancel-all: expected "keepQuoting" to be true or false';
    // without the pause, cancelled quotes would be placed again at once
    const pause: Input = { type: 'operator', command: 'pause', ...who };
    return {
      type: 'input',
      command,
      input: { type: 'operator', command, ...who },
      ...(keepQuoting === true ? {} : { then: pause }),
    };
  }
  if (command !== 'settle' && command !== 'unsettle')
    return {
      type: 'input',
      command,
      input: { type: 'operator', command, ...reasonIn(command, rest), ...who },
    };
  if (typeof gameId !== 'string' || !GAME_ID.test(gameId)) return `${command}: expected the id of a game`;
  if (command === 'unsettle') {
    const marketTypes = typesIn(types);
    return typeof marketTypes === 'string'
      ? `unsettle: ${marketTypes}`
      : {
          type: 'input',
          command,
          input: {
            type: 'unsettle',
            gameId: gameId as GameId,
            ...(marketTypes === undefined ? {} : { types: marketTypes }),
            ...who,
          },
        };
  }
  const result = resultIn({ score, winner, types, ...rest }, gameId);
  return typeof result === 'string'
    ? `settle: ${result}`
    : { type: 'input', command, input: { type: 'settle', gameId: gameId as GameId, result, ...who } };
}

const LONGEST_REASON = 200;

/** The reason of a halt as given by its sender. */
const reasonIn = (command: ControlCommand, { reason }: Message): { readonly reason?: string } =>
  command === 'halt' && typeof reason === 'string' && reason.length <= LONGEST_REASON ? { reason } : {};

type Message = Readonly<Record<string, unknown>>;

/** The result of a game: `result` in the form of a results file, or its parts by name. */
function resultIn({ score, winner, types, ...rest }: Message, gameId: string): GameResult | string {
  if (rest['result'] !== undefined) return readResult(rest['result'], gameId);
  const points = typeof score === 'string' ? SCORE.exec(score) : undefined;
  if (points === null || (score !== undefined && points === undefined))
    return `${EXPECTED}, received ${JSON.stringify(score)}`;
  const isVoid = rest['void'] === true;
  const marketTypes = typesIn(types);
  if (typeof marketTypes === 'string') return marketTypes;
  if (marketTypes !== undefined && !isVoid) return '"types" goes with "void" alone';
  if (points === undefined && winner === undefined && !isVoid) return EXPECTED;
  const parts = {
    ...(points === undefined ? {} : { home: Number(points[1]), away: Number(points[2]) }),
    ...(winner === undefined ? {} : { winner }),
    ...(isVoid && marketTypes === undefined ? { void: true } : {}),
  };
  const by = Object.fromEntries((marketTypes ?? []).map((type) => [type, { void: true }]));
  return readResult(marketTypes === undefined ? parts : { ...parts, by }, gameId);
}

const EXPECTED =
  'expected the final score as <home>-<away>, such as 101-99 (two whole numbers up to 9999), `winner <home|away|draw>` or `void`';

/** Parses market types. Undefined: all types. A string: what is wrong. */
function typesIn(types: unknown): readonly MarketType[] | string | undefined {
  if (types === undefined) return undefined;
  const named = Array.isArray(types) ? (types as readonly unknown[]) : [];
  const known = named.flatMap((type) => MARKET_TYPES.find((known) => known === type) ?? []);
  return named.length === 0 || known.length < named.length
    ? `expected "types" to be some of ${MARKET_TYPES.join(', ')}`
    : [...new Set(known)];
}
