// Expands `${NAME}` in the texts of a configuration from the environment.
import type { Scalar } from 'yaml';
import { isDocument, isNode, visit } from 'yaml';
import type { OddsmakerError, TakenText } from '../domain/index.ts';
import type { ConfigPath } from './yaml-nodes.ts';
import { keysOf } from './yaml-nodes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const NAME_ALONE = /^\$\{\w+\}$/;
const NO_NAME = /\$\{(?!\w+\})/;
const NUMBER = /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/;

/**
 * Replaces `${NAME}` in every text by the variable of that name. A value that stands alone becomes a number,
 * true or false if it reads as one; in quotes it stays a text.
 * @returns `others`: the alternative reading of each such value, in case the key needs it; `taken`: which
 *   texts came from the environment
 * @throws OddsmakerError CONFIG_INVALID when a needed variable is not set, or `${` is not followed by a name
 *   and `}`
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
): { readonly others: Map<Scalar, unknown>; readonly taken: ReadonlyMap<Scalar, TakenText> } {
  const others = new Map<Scalar, unknown>();
  const taken = new Map<Scalar, TakenText>();
  if (!isNode(part) && !isDocument(part)) return { others, taken };
  visit(part, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string') return;
      const path = (): ConfigPath => [...under, ...keysOf(ancestors, node)];
      if (NO_NAME.test(node.value)) throw problem(path(), 'expected a name and } after each ${, as in ${NAME}');
      const isAlone = NAME_ALONE.test(node.value);
      const written = node.value;
      const values: Record<string, string> = {};
      const text = written.replace(/\$\{(\w+)\}/g, (whole, name: string) => {
        const value = env[name];
        if (value === undefined && isNeeded(path()))
          throw problem(path(), `the environment variable ${name} is not set`);
        if (value !== undefined && value !== '') values[name] = value;
        return value ?? whole;
      });
      if (Object.keys(values).length > 0) taken.set(node, { path: path().join('.'), text, written, values });
      const typed = isAlone ? typedOf(text) : undefined;
      const isTyped = typed !== undefined && node.type === 'PLAIN';
      node.value = isTyped ? typed : text;
      if (typed !== undefined) others.set(node, isTyped ? text : typed);
    },
  });
  return { others, taken };
}

/** Returns the number, true or false that a text spells, or undefined. */
function typedOf(text: string): number | boolean | undefined {
  if (NUMBER.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}
