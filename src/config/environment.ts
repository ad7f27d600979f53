// What a configuration takes from the environment: `${NAME}` in any text of it.
import type { Scalar } from 'yaml';
import { isDocument, isNode, visit } from 'yaml';
import type { OddsmakerError } from '../domain/index.ts';
import type { ConfigPath } from './yaml-nodes.ts';
import { keysOf } from './yaml-nodes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const NAME_ALONE = /^\$\{\w+\}$/;
const NO_NAME = /\$\{(?!\w+\})/;
const NUMBER = /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/;

/**
 * `${NAME}` in any text takes the environment. Where it stands alone, a number, true or false is one; in quotes it is text.
 * Returns what else each of those may be, should a key want that.
 * @throws OddsmakerError CONFIG_INVALID of a variable that is needed and not set, and of `${` before anything else
 */
export function expandEnvironment(
  part: unknown,
  env: Environment,
  {
    problem,
    isNeeded,
  }: {
    readonly problem: (path: ConfigPath, message: string) => OddsmakerError;
    readonly isNeeded: (path: ConfigPath) => boolean;
  },
  under: ConfigPath,
): Map<Scalar, unknown> {
  const others = new Map<Scalar, unknown>();
  if (!isNode(part) && !isDocument(part)) return others;
  visit(part, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string') return;
      const path = (): ConfigPath => [...under, ...keysOf(ancestors, node)];
      if (NO_NAME.test(node.value))
        throw problem(path(), 'expected a name and } after each ${, as in ${NAME}');
      const isAlone = NAME_ALONE.test(node.value);
      const text = node.value.replace(/\$\{(\w+)\}/g, (whole, name: string) => {
        const value = env[name];
        if (value === undefined && isNeeded(path()))
          throw problem(path(), `the environment variable ${name} is not set`);
        return value ?? whole;
      });
      const typed = isAlone ? typedOf(text) : undefined;
      const isTyped = typed !== undefined && node.type === 'PLAIN';
      node.value = isTyped ? typed : text;
      if (typed !== undefined) others.set(node, isTyped ? text : typed);
    },
  });
  return others;
}

/** The number, true or false that a text says; undefined when it is text only. */
function typedOf(text: string): number | boolean | undefined {
  if (NUMBER.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}
