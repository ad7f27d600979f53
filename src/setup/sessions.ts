// Creates exchange sessions for everything that logs in: the bot, the recorder, guard and panic.
import type { Config } from '../config/index.ts';
import type { OddsmakerError } from '../domain/index.ts';
import type { SessionPorts, SessionSettings } from '../exchange/index.ts';
import { Session } from '../exchange/index.ts';
import type { RestClient } from '../exchange/live/index.ts';
import { LIVE_TIMERS } from '../exchange/live/index.ts';
import type { Log } from '../ops/index.ts';

export type Credentials = { readonly username: string; readonly password: string };

export function sessionSettings(
  exchange: Config['exchange'],
  { username, password }: Credentials,
  startTimeoutMs = exchange.startTimeout,
): SessionSettings {
  const { playerMode, requestTimeout: requestTimeoutMs } = exchange;
  return { username, password, playerMode, startTimeoutMs, requestTimeoutMs };
}

/** A session without feeds and request lanes. `report` receives its inputs. */
export function sessionFor(
  rest: RestClient,
  profile: Config['exchange']['profile'],
  settings: SessionSettings,
  log: Log,
  report: SessionPorts['report'] = () => undefined,
): Session {
  return new Session(profile, settings, {
    rest: rest.port,
    timers: LIVE_TIMERS,
    report,
    warn: (message, fields) => log.warn(message, fields),
  });
}

/**
 * Resolves when the login succeeded, or when `signal` aborts the wait.
 * @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE
 */
export async function begun(
  start: (done: (problem: OddsmakerError | undefined) => void) => () => void,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve, reject) => {
    const callOff = start((problem) => {
      if (problem === undefined) resolve();
      else reject(problem);
    });
    signal?.addEventListener('abort', () => {
      callOff();
      resolve();
    });
  });
}
