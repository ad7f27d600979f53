// Constraints of a sweep: `--such-that "inventory.maxDrawdown <= 200"`. A point meets a constraint, does not
// meet it, or its figure is not known: then the point is unknown, and never counts as one that meets it.
import type { Played } from './outcome.ts';

const HOLDS = {
  '<=': (figure: number, bound: number) => figure <= bound,
  '>=': (figure: number, bound: number) => figure >= bound,
  '<': (figure: number, bound: number) => figure < bound,
  '>': (figure: number, bound: number) => figure > bound,
} as const;

export type Constraint = {
  /** Name of the figure, such as `inventory.maxDrawdown`. */
  readonly name: string;
  readonly operator: keyof typeof HOLDS;
  readonly bound: number;
};

const CONSTRAINT = /^\s*([^\s<>=!]+)\s*(<=|>=|<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*$/i;

/** Parses `FIGURE <= NUMBER`; the operators are <=, >=, < and >. @throws RangeError */
export function constraint(text: string, before: readonly Constraint[] = []): readonly Constraint[] {
  const [, name, operator, number] = CONSTRAINT.exec(text) ?? [];
  const bound = Number(number);
  if (name === undefined || operator === undefined || number === undefined)
    throw new RangeError(
      'expected a figure, <=, >=, < or >, and a number, in quotation marks, such as "inventory.maxDrawdown <= 200"',
    );
  if (!Number.isFinite(bound)) throw new RangeError(`${number} is too large a number`);
  const parsed: Constraint = { name, operator: operator as keyof typeof HOLDS, bound: bound + 0 };
  if (before.some((other) => constraintText(other) === constraintText(parsed)))
    throw new RangeError(`${constraintText(parsed)} is given twice`);
  return [...before, parsed];
}

export const constraintText = ({ name, operator, bound }: Constraint): string => `${name} ${operator} ${bound}`;

/**
 * By how much a run misses the constraints: the sum of |figure - bound| divided by |bound|, or by 1 when the
 * bound is 0. 0: it meets all of them. Undefined: a figure is not known.
 */
export function violationOf(constraints: readonly Constraint[], run: Played | undefined): number | undefined {
  let sum = 0;
  for (const { name, operator, bound } of constraints) {
    const figure = run?.figures[name] ?? undefined;
    if (figure === undefined) return undefined;
    // a figure that equals a bound which it must not reach misses it as little as can be
    if (!HOLDS[operator](figure, bound))
      sum += Math.max(Number.MIN_VALUE, Math.abs(figure - bound) / (Math.abs(bound) || 1));
  }
  return sum;
}

/** True when a run meets all constraints; false when it misses one, or a figure is not known. */
export const meets = (constraints: readonly Constraint[], run: Played | undefined): boolean =>
  constraints.length === 0 || violationOf(constraints, run) === 0;
