// Attributes the samples of the profilers. Each sample belongs to one strategy or to one part of the program,
// so that the parts add up to the whole:
// - All that a strategy calls belongs to it: its own files, operators of RxJS, functions of oddsmaker. What
//   the host does with an intent that it emits does not.
// - Outside of strategies, a sample belongs to the room in which it was taken. Rooms that only serve others
//   (domain, files) and what is built into V8 belong to their caller.
import { fileURLToPath } from 'node:url';
import { shownPath } from '../../terminal/index.ts';
import type { Frame, FrameKind } from './frames.ts';
import { kindsOf } from './frames.ts';
import type { RawProfile } from './profiler.ts';
import type { Cost, FunctionCost, PartCost, RunProfile, StrategyCost } from './run-profile.ts';
import { byMs } from './run-profile.ts';

/** A strategy, and the URL that its file has in stacks. */
export type ProfiledStrategy = { readonly id: string; readonly url: string };

/** A function in a stack with its callees. `weight`: of samples in itself, in ms or bytes. */
type Tree = {
  readonly frame: Frame;
  readonly weight: number;
  /** The share of `weight` in each line, from 1. */
  readonly lines: readonly (readonly [line: number, share: number])[];
  readonly children: readonly Tree[];
};

/** `lives`: the suffix of the URLs of strategy files; `calls`: the number of calls of each strategy. */
export function attributed(
  { cpu, heap }: RawProfile,
  strategies: readonly ProfiledStrategy[],
  lives: string,
  calls: ReadonlyMap<string, number>,
): RunProfile {
  const tally = new Tally(strategies, lives, calls);
  tally.add(timeTree(cpu), 'ms');
  tally.add(heapTree(heap.head), 'bytes');
  return tally.profile;
}

/** The tree of the stacks of the time samples, in ms. */
function timeTree({ nodes, samples = [], timeDeltas = [] }: RawProfile['cpu']): Tree {
  const microseconds = new Map<number, number>();
  for (const [index, id] of samples.entries())
    microseconds.set(id, (microseconds.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const treeOf = (node: (typeof nodes)[number]): Tree => {
    const ticks = node.positionTicks ?? [];
    const all = ticks.reduce((sum, tick) => sum + tick.ticks, 0);
    return {
      frame: node.callFrame,
      weight: (microseconds.get(node.id) ?? 0) / 1000,
      lines: ticks.map((tick) => [tick.line, tick.ticks / Math.max(1, all)]),
      children: (node.children ?? []).flatMap((id) => {
        const child = byId.get(id);
        return child === undefined ? [] : [treeOf(child)];
      }),
    };
  };
  const [root] = nodes;
  return root === undefined ? NO_TREE : treeOf(root);
}

type HeapNode = RawProfile['heap']['head'];
const heapTree = ({ callFrame, selfSize, children }: HeapNode): Tree => ({
  frame: callFrame,
  weight: selfSize,
  lines: [],
  children: children.map(heapTree),
});

const NO_TREE: Tree = {
  frame: { functionName: '(root)', url: '', lineNumber: 0, columnNumber: 0 },
  weight: 0,
  lines: [],
  children: [],
};

/** Rooms that serve all others. */
const SERVING: ReadonlySet<string> = new Set(['domain', 'files', 'table', 'terminal']);
/** The groups of rooms, and the names of rooms that are not clear by themselves. */
const GROUPS: Readonly<Record<string, readonly [group: string, name: string]>> = {
  engine: ['engine', 'core'],
  orders: ['engine', 'orders'],
  account: ['engine', 'account'],
  mirror: ['engine', 'mirror'],
  risk: ['engine', 'risk'],
  pricing: ['engine', 'pricing'],
  strategy: ['engine', 'strategy host'],
  signals: ['engine', 'signals'],
  history: ['engine', 'history'],
  pipeline: ['engine', 'pipeline'],
  exchange: ['engine', 'requests and feeds'],
  wire: ['engine', 'wire'],
  paper: ['venue', 'exchange'],
  venue: ['venue', 'books'],
  traders: ['venue', 'other traders'],
  tape: ['tapes and journals', 'tapes'],
  journal: ['tapes and journals', 'journals'],
  backtest: ['backtest', 'play'],
  run: ['backtest', 'figures'],
  measure: ['backtest', 'measure'],
  report: ['backtest', 'report'],
};
const LIBRARIES = ['node and libraries', 'libraries'] as const;
const NODE = ['node and libraries', 'node'] as const;
const COLLECTOR = ['garbage collector', ''] as const;
const CORE = ['engine', 'core'] as const;

type Part = readonly [group: string, room: string];
/** What the time of a strategy is spent in. */
type Within = 'own' | 'library' | 'called';

/** What is known of a stack from its frames so far. */
type Stack = {
  readonly strategy: StrategyTally | undefined;
  readonly within: Within;
  /** The newest function of the strategy's files. */
  readonly inFunction: Mutable<FunctionCost> | undefined;
  /** The newest room that does not only serve. */
  readonly room: Part;
  /** Where a sample here belongs outside of strategies. */
  readonly part: Part;
};

class Tally {
  readonly #kindOf: (frame: Frame) => FrameKind;
  readonly #strategies: readonly StrategyTally[];
  readonly #parts = new Map<string, Mutable<PartCost>>();
  #all: Mutable<Cost> = { ms: 0, bytes: 0 };

  constructor(strategies: readonly ProfiledStrategy[], lives: string, calls: ReadonlyMap<string, number>) {
    this.#kindOf = kindsOf(lives, new Set(strategies.map(({ url }) => url)));
    this.#strategies = strategies.map((strategy) => new StrategyTally(strategy, calls.get(strategy.id) ?? 0));
  }

  add(tree: Tree, unit: keyof Cost): void {
    this.#walk(tree, { strategy: undefined, within: 'called', inFunction: undefined, room: CORE, part: NODE }, unit);
  }

  get profile(): RunProfile {
    return {
      runs: 1,
      ...this.#all,
      strategies: this.#strategies.map(({ cost }) => cost),
      parts: byMs([...this.#parts.values()]),
    };
  }

  #walk({ frame, weight, lines, children }: Tree, caller: Stack, unit: keyof Cost): void {
    const kind = this.#kindOf(frame);
    const stack = this.#stackOf(frame, kind, caller);
    if (weight > 0 && kind.kind !== 'idle') {
      this.#all[unit] += weight;
      if (stack.strategy === undefined) this.#addToPart(stack.part, weight, unit);
      else stack.strategy.add(weight, unit, stack.within, stack.inFunction);
      if (stack.strategy !== undefined && kind.kind === 'strategy')
        for (const [line, share] of lines) stack.strategy.addLine(kind.url, line, share * weight);
    }
    for (const child of children) this.#walk(child, stack, unit);
  }

  /** The stack with one more frame. */
  #stackOf(frame: Frame, kind: FrameKind, caller: Stack): Stack {
    switch (kind.kind) {
      case 'mark': {
        const strategy = this.#strategies.find(({ id }) => id === kind.strategy);
        return { ...caller, strategy, within: 'library', inFunction: undefined };
      }
      case 'strategy': {
        // without a mark: its file is loaded, or a subscription ends
        const strategy = caller.strategy ?? this.#strategyOf(kind.url);
        return { ...caller, strategy, within: 'own', inFunction: strategy?.functionOf(frame) };
      }
      case 'own': {
        // the strategy emitted: what follows is the host's
        if (caller.strategy !== undefined && isEmission(frame, kind.file))
          return { ...caller, strategy: undefined, room: HOST, part: HOST };
        const room = SERVING.has(kind.room) ? caller.room : (GROUPS[kind.room] ?? ['other', kind.room]);
        return { ...caller, within: 'called', room, part: room };
      }
      case 'library':
        return { ...caller, within: 'library', part: LIBRARIES };
      case 'node':
        return { ...caller, within: 'library', part: NODE };
      case 'collector':
        return { ...caller, part: COLLECTOR };
      case 'built-in':
      case 'idle':
        return caller;
    }
  }

  #strategyOf(url: string): StrategyTally | undefined {
    return this.#strategies.find((strategy) => strategy.url === url) ?? this.#strategies[0];
  }

  #addToPart([group, room]: Part, weight: number, unit: keyof Cost): void {
    const key = `${group} ${room}`;
    let part = this.#parts.get(key);
    if (part === undefined) this.#parts.set(key, (part = { group, room, ms: 0, bytes: 0 }));
    part[unit] += weight;
  }
}

const HOST: Part = ['engine', 'strategy host'];
const isEmission = ({ functionName }: Frame, file: string): boolean =>
  file === 'strategy/host/host.ts' && functionName.endsWith('#emitted');

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class StrategyTally {
  readonly id: string;
  readonly url: string;
  readonly #calls: number;
  readonly #sums = { ms: 0, bytes: 0, ownMs: 0, libraryMs: 0, calledMs: 0 };
  readonly #functions = new Map<string, Mutable<FunctionCost>>();
  readonly #lines = new Map<string, number>();

  constructor({ id, url }: ProfiledStrategy, calls: number) {
    this.id = id;
    this.url = url;
    this.#calls = calls;
  }

  get cost(): StrategyCost {
    return {
      id: this.id,
      file: fileOf(this.url),
      calls: this.#calls,
      ...this.#sums,
      functions: byMs([...this.#functions.values()]),
      lines: byMs([...this.#lines].map(([place, ms]) => ({ place, ms }))),
    };
  }

  functionOf({ url, functionName, lineNumber, columnNumber }: Frame): Mutable<FunctionCost> {
    const key = `${url} ${lineNumber}:${columnNumber}`;
    let own = this.#functions.get(key);
    if (own === undefined) {
      const name = functionName === '' ? '(anonymous)' : functionName;
      own = { place: placeOf(url, lineNumber + 1), name, ms: 0, bytes: 0 };
      this.#functions.set(key, own);
    }
    return own;
  }

  add(weight: number, unit: keyof Cost, within: Within, inFunction: Mutable<FunctionCost> | undefined): void {
    this.#sums[unit] += weight;
    if (unit === 'ms') this.#sums[`${within}Ms`] += weight;
    if (inFunction !== undefined) inFunction[unit] += weight;
  }

  addLine(url: string, line: number, ms: number): void {
    const place = placeOf(url, line);
    this.#lines.set(place, (this.#lines.get(place) ?? 0) + ms);
  }
}

/** A place in a file: `strategies/two-sided.ts:42`. */
const placeOf = (url: string, line: number): string => `${fileOf(url)}:${line}`;

function fileOf(url: string): string {
  const file = url.replace(/\?.*$/s, '');
  return shownPath(file.startsWith('file:') ? fileURLToPath(file) : file);
}
