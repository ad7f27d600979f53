// The history of an order for the page, produced by `oddsmaker why` in a separate process: a journal can take
// seconds to read, and the bot must not wait.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, redacted } from '../domain/index.ts';
import { ApiError } from '../page/server/index.ts';
import { ROOT } from '../files/index.ts';

const WHY_MS = 60_000;
const MOST_BYTES = 1 << 20;
const BIN = join(ROOT, 'bin', 'oddsmaker.js');
const execute = promisify(execFile);
let isRunning = false;

/** Text of `oddsmaker why` for an order. @throws ApiError 404, 409, 429 */
export async function explainOrder(journal: string | undefined, order: string): Promise<string> {
  if (journal === undefined) throw new ApiError(409, 'NO_JOURNAL', 'no journal is written: journal.dir');
  if (isRunning) throw new ApiError(429, 'TOO_MANY', 'another order is looked up: one at a time');
  isRunning = true;
  try {
    const { stdout } = await execute(process.execPath, [BIN, 'why', journal, order], {
      timeout: WHY_MS,
      maxBuffer: MOST_BYTES,
    });
    // it quotes messages of strategies, which may contain secrets
    return redacted(stdout);
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    // for a journal that is still written, `why` prints the history, but fails because the journal is torn
    if (stdout !== undefined && stdout !== '') return redacted(stdout);
    throw new ApiError(404, 'NOT_FOUND', stderr?.trim() || messageOf(error));
  } finally {
    isRunning = false;
  }
}
