// What makes two runs of one backtest differ, in the source of a strategy: clocks, dice, timers of the process, and what lies
// outside of it (DESIGN §6). It is looked for in strategy files and in what they import of their own, not in packages.
import { isBuiltin, stripTypeScriptTypes } from 'node:module';
import type { AnyNode, Identifier, Node } from 'acorn';
import { parse } from 'acorn';
import type { Config } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { RecordedFile, RecordedStrategy } from '../record/journal.ts';

export type Impurity = {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly instead: string;
};

const CLOCK = 'take the time of the view, or of the scheduler';
const DICE = 'take a number from the view, such as one made of its market and time';
const TIMER = 'use the time operators of rxjs with the scheduler that `create` is given';
const OUTSIDE = 'bring it in as a parameter or a signal';

/** Members of globals, and globals that are called or made. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  Date: { now: CLOCK },
  Math: { random: DICE },
  performance: CLOCK,
  process: {
    hrtime: CLOCK,
    uptime: CLOCK,
    nextTick: TIMER,
    env: OUTSIDE,
    cpuUsage: CLOCK,
    memoryUsage: OUTSIDE,
  },
  crypto: DICE,
};
const CALLED: Readonly<Record<string, string>> = {
  ...{ setTimeout: TIMER, setInterval: TIMER, setImmediate: TIMER, queueMicrotask: TIMER },
  ...{ fetch: OUTSIDE, WebSocket: OUTSIDE, EventSource: OUTSIDE, Worker: OUTSIDE, require: OUTSIDE },
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

/** In the order of files and lines; of a file that is no JavaScript, nothing: whoever loads it says what is wrong. */
export function impuritiesIn({ file, source = '' }: RecordedFile): readonly Impurity[] {
  const found: Impurity[] = [];
  let program: Node;
  try {
    const plain = /\.[cm]?ts$/.test(file) ? withoutTypes(source) : source;
    program = parse(plain, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowHashBang: true,
    });
  } catch {
    return found;
  }
  const own = namesIn(program);
  const add = ({ loc }: Node, what: string, instead: string): void => {
    found.push({ file, line: loc?.start.line ?? 1, what, instead });
  };
  visit(program, (node, parent) => look(node, parent, own, add));
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

function look(node: AnyNode, parent: AnyNode | undefined, own: ReadonlySet<string>, add: Add): void {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ImportExpression': {
      const { source } = node;
      const name = source.type === 'Literal' ? source.value : undefined;
      if (typeof name === 'string' && isBuiltin(name) && !PURE_MODULES.has(name.replace(/^node:/, '')))
        add(node, `import of ${name}`, OUTSIDE);
      return;
    }
    case 'NewExpression':
    case 'CallExpression': {
      const { callee } = node;
      if (callee.type !== 'Identifier' || own.has(callee.name)) return;
      if (callee.name === 'Date' && (node.type === 'CallExpression' || node.arguments.length === 0))
        add(node, node.type === 'CallExpression' ? 'Date()' : 'new Date()', CLOCK);
      return;
    }
    case 'Identifier': {
      if (own.has(node.name) || !isReference(node, parent)) return;
      const called = Object.hasOwn(CALLED, node.name) ? CALLED[node.name] : undefined;
      if (called !== undefined) add(node, node.name, called);
      const members = Object.hasOwn(MEMBERS, node.name) ? MEMBERS[node.name] : undefined;
      if (members !== undefined) lookMember(node, parent, members, add);
      return;
    }
    case 'MemberExpression': {
      // globalThis.Date, globalThis['setTimeout']
      const name =
        node.object.type === 'Identifier' && node.object.name === 'globalThis' ? memberOf(node) : undefined;
      if (name !== undefined && (Object.hasOwn(CALLED, name) || Object.hasOwn(MEMBERS, name)))
        add(node, `globalThis.${name}`, CALLED[name] ?? OUTSIDE);
      return;
    }
    default:
  }
}

/** `Math.random`, or the whole of it under another name: then nobody can tell what is asked of it. */
function lookMember(
  node: Identifier,
  parent: AnyNode | undefined,
  members: Readonly<Record<string, string>> | string,
  add: Add,
): void {
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const name = memberOf(parent);
    if (typeof members === 'string') add(node, `${node.name}.${name ?? '…'}`, members);
    else if (name !== undefined && Object.hasOwn(members, name))
      add(node, `${node.name}.${name}`, members[name] ?? '');
    return;
  }
  if (parent?.type !== 'VariableDeclarator' || parent.init !== node) return;
  const taken =
    parent.id.type !== 'ObjectPattern'
      ? ['']
      : parent.id.properties.map((one) =>
          one.type === 'Property' && one.key.type === 'Identifier' ? one.key.name : '',
        );
  for (const name of taken)
    if (name === '' || typeof members === 'string' || Object.hasOwn(members, name))
      add(node, name === '' ? `${node.name} under another name` : `${node.name}.${name}`, CLOCK);
}

const memberOf = (node: Extract<AnyNode, { type: 'MemberExpression' }>): string | undefined =>
  !node.computed && node.property.type === 'Identifier'
    ? node.property.name
    : node.property.type === 'Literal' && typeof node.property.value === 'string'
      ? node.property.value
      : undefined;

/** Not a name of a member or key, as in `a.fetch` and `{ fetch: 1 }`. */
function isReference(node: Identifier, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
      return parent.value === node || parent.computed;
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.key !== node || parent.computed;
    case 'UnaryExpression':
      return parent.operator !== 'typeof';
    default:
      return true;
  }
}

/** Names that the file gives itself, anywhere in it: they are none of the process. */
function namesIn(program: Node): ReadonlySet<string> {
  const names = new Set<string>();
  const bind = (node: AnyNode | null | undefined): void => {
    switch (node?.type) {
      case 'Identifier':
        names.add(node.name);
        return;
      case 'ObjectPattern':
        for (const one of node.properties) bind(one.type === 'Property' ? one.value : one.argument);
        return;
      case 'ArrayPattern':
        node.elements.forEach(bind);
        return;
      case 'AssignmentPattern':
        bind(node.left);
        return;
      case 'RestElement':
        bind(node.argument);
        return;
      default:
    }
  };
  visit(program, (node) => {
    switch (node.type) {
      case 'VariableDeclarator': {
        // `const { random } = Math` names what is Math’s
        const isOfGlobal = node.init?.type === 'Identifier' && Object.hasOwn(MEMBERS, node.init.name);
        if (!isOfGlobal) bind(node.id);
        return;
      }
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        if (node.type !== 'ArrowFunctionExpression') bind(node.id);
        node.params.forEach(bind);
        return;
      case 'ClassDeclaration':
        bind(node.id);
        return;
      case 'ImportSpecifier':
      case 'ImportDefaultSpecifier':
      case 'ImportNamespaceSpecifier':
        names.add(node.local.name);
        return;
      default:
    }
  });
  return names;
}

function visit(
  node: Node,
  see: (node: AnyNode, parent: AnyNode | undefined) => void,
  parent?: AnyNode,
): void {
  see(node as AnyNode, parent);
  for (const value of Object.values(node as unknown as Record<string, unknown>))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, see, node as AnyNode);
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
