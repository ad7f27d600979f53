// Checks the parameters of a strategy, from the YAML file or a test, against its own schema.
import { z } from 'zod';
import type { StrategyId } from '../../domain/index.ts';
import { didYouMean } from '../../domain/index.ts';
import type { Strategy } from '../define.ts';
import type { StrategyEntry } from './host.ts';
import { asError } from './thrown.ts';

/** A problem with parameters: the path inside `params` and a message. */
export type ParamsProblem = { readonly path: readonly (string | number)[]; readonly message: string };

/**
 * Checks parameters against the strategy's own schema; unknown keys are refused.
 * @returns the entry with its parsed, frozen parameters, or the problems
 */
export function checkParams(
  id: StrategyId,
  strategy: Strategy,
  params: unknown,
): StrategyEntry | readonly ParamsProblem[] {
  const schema = strategy.params instanceof z.ZodObject ? strategy.params.strict() : strategy.params;
  let checked: ReturnType<typeof schema.safeParse>;
  try {
    checked = schema.safeParse(params);
    if (checked.success) return { id, strategy, params: frozen(checked.data) };
  } catch (error) {
    // thrown by the schema's own transform or refinement, or by freezing its result
    const { message } = asError(error);
    return [
      {
        path: [],
        message: `the schema of the strategy cannot check its parameters: ${message} (it may not be async, nor return a value that contains itself)`,
      },
    ];
  }
  return checked.error.issues.flatMap((issue): ParamsProblem[] => {
    const path = issue.path as (string | number)[];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    const known = path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown parameter${didYouMean(key, known)}`,
    }));
  });
}

/**
 * Freezes parsed parameters deeply, because all instances of a strategy share them. Only arrays and plain
 * objects are frozen.
 */
function frozen(value: unknown): unknown {
  const isPlain = Array.isArray(value) || (typeof value === 'object' && value?.constructor === Object);
  if (!isPlain) return value;
  for (const part of Object.values(value as object)) frozen(part);
  return Object.freeze(value);
}

export type ShownParam = {
  readonly name: string;
  /** The value in the YAML file, or the default. Undefined when it has neither. */
  readonly value: unknown;
  readonly isSet: boolean;
  readonly description: string | undefined;
};

/** The parameters that a strategy takes: the given ones, and the defaults of the others. */
export function describeParams(
  strategy: Strategy | undefined,
  given: Readonly<Record<string, unknown>> = {},
): readonly ShownParam[] {
  if (strategy === undefined) return [];
  const { properties = {} } = z.toJSONSchema(strategy.params, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => {
    const { default: byDefault, description } = typeof schema === 'object' ? schema : {};
    const isSet = name in given;
    return { name, value: isSet ? given[name] : byDefault, isSet, description };
  });
}
