// Finds constructs in strategy sources that make two runs of one backtest differ: clocks, random numbers,
// timers of the process, and input from outside (docs/backtest.md). Strategy files and their own imports are
// searched, packages are not.
import { isBuiltin } from 'node:module';
import type { AnyNode, Identifier, Node } from 'acorn';
import type { RecordedFile } from '../journal/index.ts';
import { lineOf, programOf, scopesOf, visit } from './source-tree.ts';

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

const LATER = 'write it in the file: what it does is known only when it runs';
const SHARED = 'name the member that you need: values stored there outlive the run and reach other runs';

/** Globals with impure members, and what to use instead of each. A text alone covers all members. */
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
/** Globals that are impure in any use, and what to use instead. */
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
/** Modules of Node whose functions depend on their arguments alone. */
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

/** Impure constructs in a file, ordered by line. */
export function impuritiesIn({ file, source }: RecordedFile): readonly Impurity[] {
  // JSON is data
  if (file.endsWith('.json')) return [];
  if (source === undefined)
    return [{ file, line: 1, what: 'too long to be read, or no text', instead: 'split it: data belongs in JSON' }];
  const program = programOf(file, source);
  if (typeof program === 'string') {
    const instead = 'write what Node can run without it being compiled';
    return [{ file, line: 1, what: `it cannot be read: ${program}`, instead }];
  }
  const found: Impurity[] = [];
  const add = (node: Node, construct: string, instead: string): void => {
    found.push({ file, line: lineOf(node), what: construct, instead });
  };
  const parents = new Map<Node, AnyNode | undefined>();
  visit(program, (node, parent) => {
    parents.set(node, parent);
    checkImport(node, add);
  });
  // names that no scope of the file declares are globals of the process
  for (const { identifier } of scopesOf(program).globalScope?.through ?? [])
    checkGlobal(identifier as unknown as Identifier, parents.get(identifier as unknown as Node), add);
  return found.sort((a, b) => a.line - b.line);
}

type Add = (node: Node, construct: string, instead: string) => void;

function checkImport(node: AnyNode, add: Add): void {
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

/** The value of a string literal. Undefined when the text is computed at run time. */
function textOf(node: Node): string | undefined {
  const literal = node as AnyNode;
  if (literal.type === 'Literal' && typeof literal.value === 'string') return literal.value;
  return literal.type === 'TemplateLiteral' && literal.expressions.length === 0
    ? (literal.quasis[0]?.value.cooked ?? undefined)
    : undefined;
}

function checkGlobal(node: Identifier, parent: AnyNode | undefined, add: Add): void {
  const { name } = node;
  if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') return;
  if (parent?.type === 'BinaryExpression' && parent.operator === 'instanceof' && parent.right === node) return;
  const whole = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (whole !== undefined) add(node, name, whole);
  const isConstructed = parent?.type === 'NewExpression' && parent.callee === node;
  if (name === 'Date' && isConstructed) {
    if (parent.arguments.length === 0) add(node, 'new Date()', CLOCK);
    else if (parent.arguments.some(({ type }) => type === 'SpreadElement')) add(node, 'new Date(...)', CLOCK);
    return;
  }
  if (name === 'Date' && parent?.type === 'CallExpression' && parent.callee === node) {
    add(node, 'Date()', CLOCK);
    return;
  }
  const members = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
  if (members !== undefined) checkMember(node, parent, members, add);
}

/** Reports an impure member such as `Math.random`, or an alias of the whole object, whose use is unknown. */
function checkMember(
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
  for (const property of parent.id.properties) {
    const name =
      property.type === 'Property' && !property.computed && property.key.type === 'Identifier' ? property.key.name : '';
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
