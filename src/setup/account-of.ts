// The account and the exchange of a configuration.
import type { Config } from '../config/index.ts';
import { accountKey } from '../domain/index.ts';
import type { Credentials } from './sessions.ts';

const EMBEDDED_ACCOUNT = { username: 'demo', password: 'demo' };

/** Credentials of the account. Missing ones default to the demo account of an embedded exchange. */
export const accountOf = ({
  username = EMBEDDED_ACCOUNT.username,
  password = EMBEDDED_ACCOUNT.password,
}: { readonly [K in keyof Credentials]?: string | undefined }): Credentials => ({ username, password });

/** Name of the exchange for people: the host of its REST URL, or `embedded`. */
export const hostOf = ({ embedded, restUrl }: Pick<Config['exchange'], 'embedded' | 'restUrl'>): string =>
  embedded !== undefined || restUrl === undefined
    ? 'embedded'
    : URL.canParse(restUrl)
      ? new URL(restUrl).host
      : restUrl;

/** Whether both use the same account, exchange and player mode. Embedded exchanges count as one. */
export const isSameAccount = (first: Pick<Config, 'exchange'>, other: Pick<Config, 'exchange'>): boolean => {
  const [key, otherKey] = [first, other].map(({ exchange }) =>
    JSON.stringify([
      exchange.embedded === undefined ? exchange.restUrl : 'embedded',
      accountKey(accountOf(exchange).username),
      exchange.playerMode,
    ]),
  );
  return key === otherKey;
};
