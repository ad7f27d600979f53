// Reads a gate file: the thresholds that a series of games must pass before more is risked, and those that
// end the attempt (docs/run/gate.md). It is written before the first game, and every journal of the series
// records its hash.
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
  pass: thresholds.refine((named) => Object.keys(named).length > 0, 'expected at least one threshold'),
  kill: thresholds.default({}),
});

export type Gate = z.infer<typeof gateSchema>;
/** The name and hash of a gate file, as a journal records them. */
export type GateMark = { readonly name: string; readonly sha256: string };

/**
 * Loads a gate file. It may not use environment variables, since its hash must cover all of it.
 * @throws OddsmakerError CONFIG_INVALID
 */
export function loadGate(file: string): { readonly gate: Gate; readonly mark: GateMark } {
  const gate = loadYaml(file, {}, gateSchema);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { gate, mark: { name: gate.name, sha256 } };
}
