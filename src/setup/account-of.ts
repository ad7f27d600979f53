// Whose account a configuration trades on, and at which exchange.
import type { Config } from '../config/index.ts';
import { accountKey } from '../domain/index.ts';
import type { Credentials } from './sessions.ts';

const EMBEDDED_ACCOUNT = { username: 'demo', password: 'demo' };

/** Who logs in: what an embedded exchange is not told gets the account that it has by itself. */
export const accountOf = ({
  username = EMBEDDED_ACCOUNT.username,
  password = EMBEDDED_ACCOUNT.password,
}: { readonly [K in keyof Credentials]?: string | undefined }): Credentials => ({ username, password });

/** Which exchange a configuration is for, as people tell exchanges apart. */
export const hostOf = ({ embedded, restUrl }: Pick<Config['exchange'], 'embedded' | 'restUrl'>): string =>
  embedded !== undefined || restUrl === undefined
    ? 'embedded'
    : URL.canParse(restUrl)
      ? new URL(restUrl).host
      : restUrl;

/** Whether both trade as one account of one exchange, in one player mode. Embedded exchanges count as one. */
export const isSameAccount = (one: Pick<Config, 'exchange'>, other: Pick<Config, 'exchange'>): boolean => {
  const [key, otherKey] = [one, other].map(({ exchange }) =>
    JSON.stringify([
      exchange.embedded === undefined ? exchange.restUrl : 'embedded',
      accountKey(accountOf(exchange).username),
      exchange.playerMode,
    ]),
  );
  return key === otherKey;
};
