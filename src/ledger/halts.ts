// Keeps halts of an account and instance in the ledger, in addition to its standing file and its fence, so
// that a new folder lifts nothing. Of two records the tighter one holds.
import type { DatabaseSync } from 'node:sqlite';
import type { Standing } from '../domain/index.ts';
import type { Fence, JsonObject } from '../ops/index.ts';
import { fenceIn, objectIn } from '../ops/index.ts';
import { STATEMENTS } from './schema.ts';

export type Halts = { readonly standing: Standing | undefined; readonly fence: Fence | undefined };
export type HaltKind = keyof Halts;

/** The values of one row. Undefined record: the halt was lifted. */
export const haltRow = (instance: string, kind: HaltKind, record: Standing | Fence | undefined, atMs: number) => ({
  instance,
  kind,
  at: atMs,
  record: record === undefined ? null : JSON.stringify(record),
});

export function readHalts(db: DatabaseSync, account: number, instance: string): Halts {
  const query = db.prepare('SELECT record FROM halts WHERE account_id = ? AND instance = ? AND kind = ?');
  const record = (kind: HaltKind): JsonObject | undefined | null => {
    const text = query.get(account, instance, kind)?.['record'];
    return typeof text === 'string' ? objectIn(text) : undefined;
  };
  const [standing, fence] = [record('standing'), record('fence')];
  return {
    standing: standing === undefined ? undefined : standingIn(standing),
    fence: fence === undefined ? undefined : fenceIn(fence ?? {}),
  };
}

export function writeHalts(db: DatabaseSync, account: number, instance: string, halts: Partial<Halts>): void {
  const statement = db.prepare(STATEMENTS.halt);
  for (const kind of ['standing', 'fence'] as const)
    if (kind in halts) statement.run({ account, ...haltRow(instance, kind, halts[kind], Date.now()) });
}

/** Parses a standing record. An unreadable one may have been a halt, and counts as one. */
function standingIn(object: JsonObject | null): Standing {
  const { state, reason, paused, strategies, ownOnly } = object ?? {};
  if (
    (state !== 'active' && state !== 'reduce-only' && state !== 'halted') ||
    typeof reason !== 'string' ||
    typeof paused !== 'boolean'
  )
    return {
      state: 'halted',
      reason: 'the ledger has a record that cannot be read: it may have been a halt',
      paused: false,
    };
  return {
    state,
    reason,
    paused,
    ...(Array.isArray(strategies) ? { strategies: strategies.filter(isText) } : {}),
    ...(ownOnly === true ? { ownOnly } : {}),
  };
}

const isText = (value: unknown): value is NonNullable<Standing['strategies']>[number] => typeof value === 'string';
