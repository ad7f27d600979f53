// The session of a configuration on an exchange, for whoever logs in: the bot, the recorder, guard and panic.
import type { Config } from '../config/index.ts';
import type { RestClient } from '../exchange/index.ts';
import { Session } from '../exchange/index.ts';
import type { Log } from '../ops/index.ts';

export type Credentials = { readonly username: string; readonly password: string };

export function sessionFor(
  rest: RestClient,
  exchange: Config['exchange'],
  { username, password }: Credentials,
  log: Log,
  startTimeoutMs = exchange.startTimeout,
): Session {
  const { profile, playerMode, requestTimeout: requestTimeoutMs } = exchange;
  return new Session(
    rest,
    profile,
    { username, password, playerMode, startTimeoutMs, requestTimeoutMs },
    (message, fields) => {
      log.warn(message, fields);
    },
  );
}
