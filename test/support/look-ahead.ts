// A backtest of a generated tape with `--look-ahead-check`, in one thread.
import { join } from 'node:path';
import { command, folder, NO_JOURNAL, writeConfig } from './children.ts';
import { writeGeneratedTape } from './generated-tape.ts';

/** Checks the strategies on a minute of tape. */
export async function checkLookAhead(strategies: string, ...flags: readonly string[]) {
  return checkLookAheadFor(60, strategies, ...flags);
}

export async function checkLookAheadFor(seconds: number, strategies: string, ...flags: readonly string[]) {
  const home = folder();
  const tape = join(home, 'tape.ndjson.gz');
  writeGeneratedTape(tape, seconds);
  const config = writeConfig(`exchange: { embedded: {} }\n${strategies}${NO_JOURNAL}`, home);
  return command([
    'backtest',
    config,
    '--tape',
    tape,
    '--out',
    join(home, 'out'),
    '--look-ahead-check',
    '--threads',
    '1',
    ...flags,
  ]);
}
