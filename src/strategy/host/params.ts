// The parameters of a strategy, from the YAML file or a test, against its own schema.
import { z } from 'zod';
import type { StrategyId } from '../../domain/index.ts';
import { didYouMean } from '../../domain/index.ts';
import type { Strategy } from '../define.ts';
import type { StrategyEntry } from './host.ts';
import { asError } from './thrown.ts';

/** What is wrong with parameters: the path inside `params`, and why. */
export type ParamsProblem = { readonly path: readonly (string | number)[]; readonly message: string };

/** Parameters checked against the strategy's own schema. */
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
    // a transform or refinement of its own, or what it made of the parameters
    const { message } = asError(error);
    return [
      {
        path: [],
        message: `the schema of the strategy cannot check its parameters: ${message} (it may not be async, nor make what is in itself)`,
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

/** All instances of a strategy have the same parameters. */
function frozen(value: unknown): unknown {
  const isPlain = Array.isArray(value) || (typeof value === 'object' && value?.constructor === Object);
  if (!isPlain) return value;
  for (const part of Object.values(value as object)) frozen(part);
  return Object.freeze(value);
}

export type ShownParam = {
  readonly name: string;
  /** As the YAML file says it, or would; undefined: none. */
  readonly value: unknown;
  readonly isSet: boolean;
  readonly description: string | undefined;
};

/** The parameters that a strategy takes: those given, and the defaults of the others. */
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
