// Habits of strategy code that are valid and mostly mistakes: state shared by all markets, everything that was ever seen
// kept, and signals whose names are of the future. `check` and the start of a run name them with file and line.
import type { AnyNode, Identifier, Node, Program } from 'acorn';
import type { RecordedFile, RecordedStrategy } from '../journal/index.ts';
import { lineOf, programOf, scopesOf, visit } from './source-tree.ts';

export type Habit = {
  readonly file: string;
  readonly line: number;
  readonly text: string;
};

const SHARED = 'is one for all markets and games: keep it in `create`, which runs once for each';
const KEEPS = 'keeps every value for as long as the market is open: bound it';
const FUTURE = 'it is only known after the market closes, so a backtest must not read it';

/** Operators of rxjs that keep everything, and how many arguments bound them. */
const HOARDERS: Readonly<Record<string, number>> = { toArray: Infinity, shareReplay: 1, ReplaySubject: 1 };
/** Methods that change a collection. */
const CHANGES = new Set(['set', 'add', 'push', 'unshift', 'delete', 'splice']);
const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);
const FUTURE_NAME = /(?:^|[:_-])(?:clos(?:e|ing)|final|result|outcome|settled|winner)(?:$|[:_/-])/i;

export const habitText = ({ file, line, text }: Habit): string => `${file}:${line}: ${text}`;

/** The habits in strategies and their own imports, in the order of files and lines. */
export const habitsOf = (strategies: readonly RecordedStrategy[]): readonly Habit[] =>
  strategies.flatMap((strategy) => [strategy, ...(strategy.imports ?? [])].flatMap(habitsIn));

export function habitsIn({ file, source }: RecordedFile): readonly Habit[] {
  const program = source === undefined || file.endsWith('.json') ? undefined : programOf(file, source);
  if (program === undefined || typeof program === 'string') return [];
  const found: Habit[] = [];
  const add = (node: Node, text: string): void => {
    found.push({ file, line: lineOf(node), text });
  };
  for (const shared of sharedBy(program)) add(shared, `${shared.name} ${SHARED}`);
  visit(program, (node) => {
    const hoarder = hoarderIn(node);
    if (hoarder !== undefined) add(node, `${hoarder} ${KEEPS}`);
    const name = signalIn(node);
    if (name !== undefined && FUTURE_NAME.test(name)) add(node, `the signal ${JSON.stringify(name)}: ${FUTURE}`);
  });
  return found.sort((a, b) => a.line - b.line);
}

/** The declarations of variables and collections of a module that its functions change. */
function sharedBy(program: Program): readonly Identifier[] {
  const changed = new Set<Identifier>();
  visit(program, (node) => {
    const target = changedBy(node);
    if (target !== undefined) changed.add(target);
  });
  const [module] = scopesOf(program).globalScope?.childScopes ?? [];
  return (module?.variables ?? []).flatMap(({ defs, references }) => {
    const [declared] = defs;
    if (
      declared?.type !== 'Variable' ||
      !(declared.parent.kind !== 'const' || isCollection(declared.node.init as AnyNode | null))
    )
      return [];
    const isShared = references.some(
      ({ from, identifier }) => from.variableScope !== module && changed.has(identifier as Identifier),
    );
    return isShared ? [declared.name as Identifier] : [];
  });
}

function isCollection(init: AnyNode | null | undefined): boolean {
  if (init?.type === 'ArrayExpression' || init?.type === 'ObjectExpression') return true;
  return init?.type === 'NewExpression' && init.callee.type === 'Identifier' && COLLECTIONS.has(init.callee.name);
}

/** The variable, or the collection, that a node changes. */
function changedBy(node: AnyNode): Identifier | undefined {
  if (node.type === 'AssignmentExpression') return rootOf(node.left);
  if (node.type === 'UpdateExpression') return rootOf(node.argument);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = node.callee;
  const isChange = property.type === 'Identifier' && CHANGES.has(property.name);
  return isChange && object.type === 'Identifier' ? object : undefined;
}

/** The variable in `a`, `a.b` or `a[b]`. */
const rootOf = (node: AnyNode): Identifier | undefined =>
  node.type === 'Identifier' ? node : node.type === 'MemberExpression' ? rootOf(node.object) : undefined;

/** The operator or subject that keeps everything. */
function hoarderIn(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  if (node.callee.type !== 'Identifier') return undefined;
  const bound = Object.hasOwn(HOARDERS, node.callee.name) ? HOARDERS[node.callee.name] : undefined;
  return bound !== undefined && node.arguments.length < bound ? node.callee.name : undefined;
}

/** The beginning of the name that `signals.get` is called with, as far as it is written. */
function signalIn(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = node.callee;
  const isGet = property.type === 'Identifier' && property.name === 'get';
  const isSignals =
    (object.type === 'Identifier' && object.name === 'signals') ||
    (object.type === 'MemberExpression' && object.property.type === 'Identifier' && object.property.name === 'signals');
  const [name] = node.arguments;
  if (!isGet || !isSignals || name === undefined) return undefined;
  if (name.type === 'Literal' && typeof name.value === 'string') return name.value;
  return name.type === 'TemplateLiteral' ? (name.quasis[0]?.value.cooked ?? undefined) : undefined;
}
