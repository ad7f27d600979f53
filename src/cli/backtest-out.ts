// The folder that a backtest writes into.
import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OddsmakerError } from '../domain/index.ts';

export const RESULTS = [
  'result.json',
  'timing.json',
  'fills.csv',
  'markets.csv',
  'pnl.csv',
  'pnl.svg',
] as const;

/** Before anything is computed. @throws OddsmakerError OUT_UNWRITABLE */
export function prepareOut(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
    accessSync(out, constants.W_OK);
  } catch (error) {
    throw outUnwritable(out, error);
  }
  for (const name of RESULTS)
    if (statSync(join(out, name), { throwIfNoEntry: false })?.isDirectory() === true)
      throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${name} is a folder there`);
}

/** @throws OddsmakerError OUT_UNWRITABLE */
export function writeOut(out: string, files: Readonly<Record<(typeof RESULTS)[number], string>>): void {
  for (const name of RESULTS) {
    try {
      writeFileSync(join(out, name), files[name]);
    } catch (error) {
      throw outUnwritable(out, error);
    }
  }
}

const outUnwritable = (out: string, error: unknown): OddsmakerError =>
  new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${error instanceof Error ? error.message : ''}`);
