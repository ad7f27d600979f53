// Accounts of `oddsmaker exchange`, as `user:pass[:cash[:coins]]`: on the command line, or one a line in a
// file, which keeps passwords out of process lists. No message contains a password.
import { readFileSync } from 'node:fs';
import { messageOf, OddsmakerError, userText } from '../domain/index.ts';
import type { AccountOptions } from '../venue/index.ts';
import { RESERVED_USERNAME } from '../paper/index.ts';

const MAX_DOLLARS = 1e9;
const EXPECTED = 'It must be user:password, user:password:cash or user:password:cash:coins, amounts in dollars.';

/** The account in a text. A string says what is wrong with the text. */
export function readAccount(text: string): AccountOptions | string {
  const [username = '', password = '', cash = '10000', coins = '10000', ...rest] = text.split(':');
  const amounts = [cash, coins].map((dollars) => (dollars.trim() === '' ? Number.NaN : Number(dollars)));
  const [cashDollars = 0, coinsDollars = 0] = amounts;
  if (username === '' || password === '' || rest.length > 0) return EXPECTED;
  if (amounts.some((amount) => !(amount >= 0 && amount <= MAX_DOLLARS))) return EXPECTED;
  if (RESERVED_USERNAME.test(username) || !/^[\w.@+-]+$/.test(username))
    return `"${username}" cannot be a username here.`;
  return { username, password, cash: cashDollars, coins: coinsDollars, mode: 'coins' };
}

/**
 * Reads one account a line; blank lines and lines that begin with # are skipped. @throws OddsmakerError
 * CONFIG_INVALID
 */
export function readAccountFile(file: string): readonly AccountOptions[] {
  const accounts = new Map<string, AccountOptions>();
  for (const [index, raw] of linesOf(file).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const problem = (text: string): OddsmakerError =>
      new OddsmakerError('CONFIG_INVALID', `${file}:${index + 1}: ${text}`);
    const account = readAccount(line);
    if (typeof account === 'string') throw problem(account);
    if (accounts.has(account.username)) throw problem(`${account.username} is given twice`);
    accounts.set(account.username, account);
  }
  if (accounts.size === 0) throw new OddsmakerError('CONFIG_INVALID', `${file}: it names no account`);
  return [...accounts.values()];
}

function linesOf(file: string): readonly string[] {
  try {
    return userText(readFileSync(file)).split('\n');
  } catch (error) {
    throw new OddsmakerError('CONFIG_INVALID', `${file}: the file cannot be read (${messageOf(error)})`, {
      cause: error,
    });
  }
}
