// Login and current user (spec, Authentication; wire profile, "Handshake, login, user").
import type { PlayerMode, Result } from '../domain/index.ts';
import { bad, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { dataOf, isRecord, readNumber, readText, recordOf } from './json.ts';

export type User = {
  readonly token: string | undefined;
  readonly username: string | undefined;
  readonly userId: string | undefined;
  readonly mode: PlayerMode | undefined;
  /** The cash balance, dollars. */
  readonly cash: number | undefined;
  readonly coins: number | undefined;
};

export const encodeLogin = (username: string, password: string): Json => ({ username, password });
export const encodeMode = (mode: PlayerMode): Json => ({ playerMode: mode });

export function parseUser(body: unknown): Result<User> {
  const data = dataOf(body);
  const user = isRecord(data) ? recordOf(data['user']) : undefined;
  if (user === undefined) return bad('data.user is missing');
  const mode = user['playerMode'];
  return ok({
    token: readText(user['auth']),
    username: readText(user['username']),
    userId: readText(user['id']),
    mode: mode === 'cash' || mode === 'coins' ? mode : undefined,
    cash: readNumber(user['cashBalance']),
    coins: readNumber(user['coinsBalance']),
  });
}
