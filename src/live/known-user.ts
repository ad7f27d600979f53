// Finds the exchange's user id for the configured account name, so that two names of one user share lease,
// ledger rows and halt. It is saved at each login. When another known name may belong to the same user, one
// extra login finds it before the first files are opened.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import { messageOf } from '../domain/index.ts';
import { RestClient } from '../exchange/live/index.ts';
import type { Log } from '../ops/index.ts';
import { keepUser, readUser } from '../ops/index.ts';
import { keepUserId, openLedger } from '../ledger/index.ts';
import { accountOf, runFilesOf, begun, sessionFor, sessionSettings } from '../setup/index.ts';

/**
 * Saves the user id that a login reported, unless the exchange is embedded. A failed write is only logged.
 */
function rememberUser(loaded: LoadedConfig, userId: string, log: Log): void {
  const { exchange, ledger } = loaded.config;
  const { restUrl } = exchange;
  if (exchange.embedded !== undefined || restUrl === undefined) return;
  try {
    keepUser(runFilesOf(loaded).user, { exchange: restUrl, userId });
    if (ledger.file === null) return;
    const db = openLedger(loaded.resolve(ledger.file));
    try {
      keepUserId(db, restUrl, accountOf(exchange).username, userId);
    } finally {
      db.close();
    }
  } catch (error) {
    log.warn('the user id of the account cannot be saved', { problem: messageOf(error) });
  }
}

/**
 * Logs in once to learn the user id, when this name is new here and other names are known.
 * @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE
 */
export async function learnUser(loaded: LoadedConfig, log: Log): Promise<void> {
  const { exchange } = loaded.config;
  const { restUrl } = exchange;
  if (exchange.embedded !== undefined || restUrl === undefined) return;
  const { user, folder } = runFilesOf(loaded);
  if (readUser(user)?.exchange === restUrl || !othersAreKnown(loaded, folder, restUrl)) return;
  const rest = new RestClient(restUrl, exchange.profile.apiVersionHeader);
  let userId: string | undefined;
  const settings = sessionSettings(exchange, accountOf(exchange));
  const session = sessionFor(rest, exchange.profile, settings, log, (input) => {
    if (input.type === 'session') userId = input.userId;
  });
  try {
    await begun((done) => session.start(done));
    if (userId !== undefined) rememberUser(loaded, userId, log);
  } finally {
    session.close();
    rest.close();
  }
}

/** Whether another name has logged in to this exchange with this folder or this ledger. */
function othersAreKnown(loaded: LoadedConfig, folder: string, exchange: string): boolean {
  const inFolder = readdirSync(folder).some(
    (name) => name.endsWith('.user') && readUser(join(folder, name))?.exchange === exchange,
  );
  const { file } = loaded.config.ledger;
  if (inFolder || file === null || !existsSync(loaded.resolve(file))) return inFolder;
  try {
    const db = openLedger(loaded.resolve(file));
    try {
      return db.prepare('SELECT 1 FROM user_ids WHERE exchange = ?').get(exchange) !== undefined;
    } finally {
      db.close();
    }
  } catch {
    // an unreadable ledger is reported when the run opens it
    return false;
  }
}
