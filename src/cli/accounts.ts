// Accounts of `oddsmaker exchange`, as `user:pass[:cash[:coins]]`: on the command line, or a line each in a file, where no list of
// processes shows their passwords. No message tells a password either.
import { readFileSync } from 'node:fs';
import { messageOf, OddsmakerError, userText } from '../domain/index.ts';
import type { AccountOptions } from '../venue/index.ts';
import { RESERVED_USERNAME } from '../paper/index.ts';

const MOST_DOLLARS = 1e9;
const EXPECTED = 'It must be user:password, user:password:cash or user:password:cash:coins, amounts in dollars.';

/** The account that a text says, or what is wrong with it. */
export function readAccount(text: string): AccountOptions | string {
  const [username = '', password = '', cash = '10000', coins = '10000', ...rest] = text.split(':');
  const amounts = [cash, coins].map((dollars) => (dollars.trim() === '' ? Number.NaN : Number(dollars)));
  const [cashDollars = 0, coinsDollars = 0] = amounts;
  if (username === '' || password === '' || rest.length > 0) return EXPECTED;
  if (amounts.some((amount) => !(amount >= 0 && amount <= MOST_DOLLARS))) return EXPECTED;
  if (RESERVED_USERNAME.test(username) || !/^[\w.@+-]+$/.test(username))
    return `"${username}" cannot be a username here.`;
  return { username, password, cash: cashDollars, coins: coinsDollars, mode: 'coins' };
}

/** One account a line; blank lines and lines that begin with # say nothing. @throws OddsmakerError CONFIG_INVALID */
export function readAccountFile(file: string): readonly AccountOptions[] {
  const accounts = new Map<string, AccountOptions>();
  for (const [index, raw] of linesOf(file).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const problem = (what: string): OddsmakerError =>
      new OddsmakerError('CONFIG_INVALID', `${file}:${index + 1}: ${what}`);
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
