// Shared by the tests of parameter sweeps: a configuration for the generated game days, and readers of output
// files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_JOURNAL, STRATEGIES } from '../support/children.ts';

export const BOT = `exchange: { embedded: {}, username: someone, password: "not to be shown" }
markets: { leagues: [NBA], stopBefore: 0s }
alerts: [{ webhook: https://hooks.example/secret-hook, body: json }]
${STRATEGIES}${NO_JOURNAL}`;

/** All output files by name, except the one that depends on the machine. */
export const bytesOf = (out: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(out)
      .filter((name) => name !== 'timing.json')
      .sort()
      .map((name) => [name, readFileSync(join(out, name), 'utf8')]),
  );

export type SweepJson = {
  readonly state: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly search: {
    readonly started: number;
    readonly judged: number;
    readonly failed: number;
    readonly rounds: unknown;
  };
  readonly best: readonly { readonly point: number; readonly objective: number }[];
  readonly judgedOn: { readonly kind: string; readonly objective: number } | null;
  readonly differences?: readonly unknown[];
  readonly verdict: { readonly text: string };
};
export const sweepJson = (out: string): SweepJson =>
  JSON.parse(readFileSync(join(out, 'sweep.json'), 'utf8')) as SweepJson;

export const rowsOf = (out: string): readonly string[] =>
  readFileSync(join(out, 'points.csv'), 'utf8').trim().split('\n');

/** A game with one fill before the start and every value known. */
export const KNOWN = {
  fills: 1,
  pnl: 0,
  knownFills: 1,
  knownPayout: 1,
  ofFills: 1,
  ofPayout: 1,
  earlyFills: 1,
  earlyKnown: 1,
  earlyEdge: 0,
  liveFills: 0,
  liveKnown: 0,
  liveEdge: 0,
};
