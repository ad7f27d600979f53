// What makes two runs of one backtest differ, in the source of a strategy: clocks, dice, timers of the process, and what lies
// outside of it (docs/backtest.md). It is looked for in strategy files and in what they import of their own, not in packages.
import { isBuiltin, stripTypeScriptTypes } from 'node:module';
import type { AnyNode, Identifier, Node, Program } from 'acorn';
import { parse } from 'acorn';
import { analyze } from 'eslint-scope';
import type { Config } from '../config/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { RecordedFile, RecordedStrategy } from '../journal/index.ts';

export type Impurity = {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly instead: string;
};

const CLOCK = 'take view.time, or of the scheduler';
const DICE = 'take a number from the view, such as one made of its market and time';
const TIMER = 'use the time operators of rxjs with the scheduler that `create` is given';
const OUTSIDE = 'bring it in as a parameter or a signal';

const LATER = 'write it in the file: nobody can tell before it runs what that does';
const SHARED = 'name what you need of it: what is kept there outlives the run, and other runs find it';

/** Globals of which some members are impure: those, and why; or all of them. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  Date: { now: CLOCK },
  Math: { random: DICE },
  performance: CLOCK,
  process: {
    hrtime: CLOCK,
    uptime: CLOCK,
    cpuUsage: CLOCK,
    nextTick: TIMER,
    env: OUTSIDE,
    memoryUsage: OUTSIDE,
    getBuiltinModule: OUTSIDE,
    binding: OUTSIDE,
    dlopen: OUTSIDE,
  },
  AbortSignal: { timeout: TIMER },
  crypto: DICE,
};
/** Globals that are impure whatever is asked of them. */
const WHOLE: Readonly<Record<string, string>> = {
  setTimeout: TIMER,
  setInterval: TIMER,
  setImmediate: TIMER,
  queueMicrotask: TIMER,
  fetch: OUTSIDE,
  WebSocket: OUTSIDE,
  EventSource: OUTSIDE,
  Worker: OUTSIDE,
  require: OUTSIDE,
  eval: LATER,
  Function: LATER,
  globalThis: SHARED,
  global: SHARED,
  window: SHARED,
  self: SHARED,
};
/** Of node's own, what is a function of its arguments. */
const PURE_MODULES = new Set([
  'assert',
  'assert/strict',
  'buffer',
  'path',
  'path/posix',
  'querystring',
  'string_decoder',
  'url',
  'util',
]);

/** In the order of lines. */
export function impuritiesIn({ file, source }: RecordedFile): readonly Impurity[] {
  // data
  if (file.endsWith('.json')) return [];
  if (source === undefined)
    return [{ file, line: 1, what: 'too long to be read, or no text', instead: 'split it: data belongs in JSON' }];
  let program: Program;
  try {
    const plain = /\.[cm]?ts$/.test(file) ? withoutTypes(source) : source;
    program = parse(plain, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      ranges: true,
      allowHashBang: true,
    });
  } catch (error) {
    const instead = 'write what Node can run without it being compiled';
    return [{ file, line: 1, what: `it cannot be read: ${messageOf(error)}`, instead }];
  }
  const found: Impurity[] = [];
  const add = ({ loc }: Node, what: string, instead: string): void => {
    found.push({ file, line: loc?.start.line ?? 1, what, instead });
  };
  const parents = new Map<Node, AnyNode | undefined>();
  visit(program, (node, parent) => {
    parents.set(node, parent);
    lookImport(node, add);
  });
  // names that no scope of the file gives are those of the process
  const scopes = analyze(program as unknown as Parameters<typeof analyze>[0], {
    ecmaVersion: 2025,
    sourceType: 'module',
  });
  for (const { identifier } of scopes.globalScope?.through ?? [])
    lookGlobal(identifier as unknown as Identifier, parents.get(identifier as unknown as Node), add);
  return found.sort((a, b) => a.line - b.line);
}

/** Node says once that it may change what it does there; nobody who runs a backtest can do anything about that. */
function withoutTypes(source: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

type Add = (at: Node, what: string, instead: string) => void;

function lookImport(node: AnyNode, add: Add): void {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration': {
      const { source } = node;
      if (source === null || source === undefined) return;
      const name = textOf(source);
      if (name === undefined) add(node, 'import() of what is known only when it runs', LATER);
      else if (isBuiltin(name) && !PURE_MODULES.has(name.replace(/^node:/, '')))
        add(node, `import of ${name}`, OUTSIDE);
      return;
    }
    default:
  }
}

/** A text as it is written; undefined: it is made when the code runs. */
function textOf(node: Node): string | undefined {
  const of = node as AnyNode;
  if (of.type === 'Literal' && typeof of.value === 'string') return of.value;
  return of.type === 'TemplateLiteral' && of.expressions.length === 0
    ? (of.quasis[0]?.value.cooked ?? undefined)
    : undefined;
}

function lookGlobal(node: Identifier, parent: AnyNode | undefined, add: Add): void {
  const { name } = node;
  if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') return;
  if (parent?.type === 'BinaryExpression' && parent.operator === 'instanceof' && parent.right === node) return;
  const whole = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (whole !== undefined) add(node, name, whole);
  const isMade = parent?.type === 'NewExpression' && parent.callee === node;
  if (name === 'Date' && isMade) {
    if (parent.arguments.length === 0) add(node, 'new Date()', CLOCK);
    else if (parent.arguments.some(({ type }) => type === 'SpreadElement')) add(node, 'new Date(...)', CLOCK);
    return;
  }
  if (name === 'Date' && parent?.type === 'CallExpression' && parent.callee === node) {
    add(node, 'Date()', CLOCK);
    return;
  }
  const members = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
  if (members !== undefined) lookMember(node, parent, members, add);
}

/** `Math.random`, or the whole of it under another name: then nobody can tell what is asked of it. */
function lookMember(
  node: Identifier,
  parent: AnyNode | undefined,
  members: Readonly<Record<string, string>> | string,
  add: Add,
): void {
  const all = typeof members === 'string' ? members : undefined;
  const why = all ?? Object.values(members as Readonly<Record<string, string>>)[0] ?? '';
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const name = memberOf(parent);
    if (name === undefined || all !== undefined) add(node, `${node.name}.${name ?? '[…]'}`, why);
    else if (Object.hasOwn(members as object, name))
      add(node, `${node.name}.${name}`, (members as Readonly<Record<string, string>>)[name] ?? why);
    return;
  }
  if (parent?.type !== 'VariableDeclarator' || parent.init !== node || parent.id.type !== 'ObjectPattern') {
    add(node, `${node.name} under another name`, why);
    return;
  }
  for (const one of parent.id.properties) {
    const name = one.type === 'Property' && !one.computed && one.key.type === 'Identifier' ? one.key.name : '';
    if (name === '' || all !== undefined || Object.hasOwn(members as object, name))
      add(node, name === '' ? `${node.name} under another name` : `${node.name}.${name}`, why);
  }
}

const memberOf = (node: Extract<AnyNode, { type: 'MemberExpression' }>): string | undefined =>
  !node.computed && node.property.type === 'Identifier'
    ? node.property.name
    : node.property.type === 'Literal' && typeof node.property.value === 'string'
      ? node.property.value
      : undefined;

function visit(node: Node, see: (node: AnyNode, parent: AnyNode | undefined) => void, parent?: AnyNode): void {
  see(node as AnyNode, parent);
  for (const value of Object.values(node as unknown as Record<string, unknown>))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see, node as AnyNode);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Names that are told in one message. */
const MOST_TOLD = 5;

/**
 * Of a backtest: strategies whose result would hang on the machine and the hour, unless the YAML says so of them.
 * @throws OddsmakerError STRATEGY_IMPURE, with files and lines
 */
export function refuseImpure(strategies: readonly RecordedStrategy[], told: Config['strategies']): void {
  const found = strategies.flatMap((strategy, index) =>
    told[index]?.impure === true ? [] : [strategy, ...(strategy.imports ?? [])].flatMap(impuritiesIn),
  );
  if (found.length === 0) return;
  const lines = found
    .slice(0, MOST_TOLD)
    .map(({ file, line, what, instead }) => `${file}:${line}: ${what}: ${instead}`);
  throw new OddsmakerError(
    'STRATEGY_IMPURE',
    `two backtests of this would differ:\n  ${lines.join('\n  ')}` +
      (found.length > MOST_TOLD ? `\n  and ${found.length - MOST_TOLD} more` : '') +
      '\nor say `impure: true` of the strategy in the YAML, and the result says so',
  );
}
