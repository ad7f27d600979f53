// A gate file: what has to be true of a run of games before more is risked, and what ends the attempt (docs/run/gate.md). It is written
// before the first of those games, and its hash stands in every journal of them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { loadYaml } from './load.ts';

export type Operator = '>=' | '<=' | '==' | '!=' | '>' | '<';
export type Threshold = { readonly operator: Operator; readonly than: number };
const THRESHOLD = /^(>=|<=|==|!=|>|<)\s*(-?\d+(?:\.\d+)?)$/;

const threshold = z.string().transform((text, context): Threshold => {
  const [, operator, than] = THRESHOLD.exec(text.trim()) ?? [];
  if (operator !== undefined) return { operator: operator as Operator, than: Number(than) };
  context.addIssue({
    code: 'custom',
    message: `expected a comparison with a number, such as ">= 100", received "${text}"`,
  });
  return z.NEVER;
});
const thresholds = z.record(z.string(), threshold);

const gateSchema = z.strictObject({
  name: z.string().min(1),
  games: z.int().min(1).describe('settled games in which the bot had fills, before it is over'),
  pass: thresholds.refine((of) => Object.keys(of).length > 0, 'expected at least one threshold'),
  kill: thresholds.default({}),
});

export type Gate = z.infer<typeof gateSchema>;
/** What a journal has of it. */
export type GateMark = { readonly name: string; readonly sha256: string };

/** Its hash stands for all of it, so no variable of the environment is in it. @throws OddsmakerError CONFIG_INVALID */
export function loadGate(file: string): { readonly gate: Gate; readonly mark: GateMark } {
  const gate = loadYaml(file, {}, gateSchema);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { gate, mark: { name: gate.name, sha256 } };
}
