// Starts the paper exchange as a separate process. The bot talks to it only over the wire.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../files/index.ts';
import type { ErrorCode } from '../domain/index.ts';
import { OddsmakerError, messageOf } from '../domain/index.ts';
import type { Config, LoadedConfig } from '../config/index.ts';
import type { Log } from '../ops/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { changedSettings } from '../wire/index.ts';
import type { DoorTarget } from './bot-door.ts';
import { accountOf } from '../setup/index.ts';

/** Environment variable by which a bot passes the account to its embedded exchange, as JSON. */
export const ACCOUNT_VARIABLE = 'ODDSMAKER_EMBEDDED_ACCOUNT';

export type EmbeddedExchange = {
  readonly restUrl: string;
  readonly socketUrl: string;
  readonly adminUrl: string;
  /** Resolves with the error when the exchange ends without `close`. */
  readonly died: Promise<OddsmakerError>;
  /** Ends the process and waits until it has exited. */
  readonly close: () => Promise<void>;
};

/** Error code of the bot for each exit code of the exchange. */
const ERROR_OF_EXIT: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [2, 'CONFIG_INVALID'],
  [65, 'TAPE_INVALID'],
  [75, 'EXCHANGE_UNREACHABLE'],
]);

/** Time allowed for the exchange to exit before it is killed, ms. */
const CLOSE_MS = 5000;

type Embedded = NonNullable<Config['exchange']['embedded']>;

/** Wire settings that differ from the default, as values of `--profile`. */
const changedSettingsOf = (profile: WireProfile): readonly string[] =>
  changedSettings(profile).map(([name, value]) => `${name}=${JSON.stringify(value)}`);

type EmbeddedSettings = {
  readonly league: string;
  readonly profile: Config['exchange']['profile'];
  /** Sports rules, so that bot and exchange settle games by the same rules. */
  readonly sports: Config['sports'];
  readonly tapes: readonly string[];
  readonly username: string;
  readonly password: string;
};

function flagsOf(
  embedded: Embedded,
  settings: EmbeddedSettings,
): readonly (readonly [flag: string, value: string | number])[] {
  const { tapes, profile } = settings;
  return [
    ['--port', embedded.port],
    ['--league', settings.league],
    ['--games', embedded.games],
    ['--seed', embedded.seed],
    ['--traders', tapes.length > 0 ? 'tape' : embedded.traders],
    ...tapes.map((tape) => ['--tape', tape] as const),
    ...(embedded.speed === 1 ? [] : ([['--speed', embedded.speed]] as const)),
    ...(tapes.length === 0 || embedded.from === null ? [] : ([['--from', embedded.from]] as const)),
    ...changedSettingsOf(profile).map((setting) => ['--profile', setting] as const),
    ...Object.entries(settings.sports).flatMap(([name, columns]) =>
      Object.entries(columns).map(([column, value]) => ['--sport', `${name}.${column}=${value}`] as const),
    ),
  ];
}

/** @throws OddsmakerError TAPE_INVALID, EMBEDDED_EXCHANGE_DIED */
async function startEmbeddedExchange(
  embedded: Embedded,
  log: Log,
  settings: EmbeddedSettings,
): Promise<EmbeddedExchange> {
  const args = ['exchange', ...flagsOf(embedded, settings).flatMap(([flag, value]) => [flag, String(value)])];
  const bin = join(ROOT, 'bin/oddsmaker.js');
  // a process group of its own: Ctrl-C must reach only the bot, which needs the exchange to cancel its
  // orders; the exchange exits when the IPC channel to the bot closes
  const child = spawn(process.execPath, [bin, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // passed in the environment: the password must not show in the process list or in a message about flags
    env: {
      ...process.env,
      [ACCOUNT_VARIABLE]: JSON.stringify({ username: settings.username, password: settings.password }),
    },
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  let closing = false;
  const gone = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      resolve(code);
    });
  });
  const died = new Promise<OddsmakerError>((resolve) => {
    void gone.then((code) => {
      if (closing) return;
      const message = stderr.trim().replace(/^oddsmaker: /, '');
      const known = code === null ? undefined : ERROR_OF_EXIT.get(code);
      resolve(
        new OddsmakerError(
          known ?? 'EMBEDDED_EXCHANGE_DIED',
          known === undefined ? `the embedded paper exchange ended with code ${String(code)}: ${message}` : message,
        ),
      );
    });
  });
  const ready = new Promise<{ restUrl: string; socketUrl: string; adminUrl: string }>((resolve) => {
    child.once('message', (message) => {
      resolve(message as { restUrl: string; socketUrl: string; adminUrl: string });
    });
  });
  const first = await Promise.race([ready, died]);
  if (first instanceof OddsmakerError) throw first;
  // warnings such as a torn tape or a skipped payload
  const logOutput = (output: string): void => {
    log.warn('output of the embedded paper exchange', { said: output.trim() });
  };
  if (stderr !== '') logOutput(stderr);
  child.stderr?.on('data', logOutput);
  return {
    ...first,
    died,
    close: async () => {
      closing = true;
      child.kill('SIGTERM');
      // a process that hangs does not react to SIGTERM
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Starts the exchange that a configuration embeds. Undefined when the configuration names one by URLs. */
export async function embeddedFor(loaded: LoadedConfig, log: Log): Promise<EmbeddedExchange | undefined> {
  const { exchange, markets, sports } = loaded.config;
  const { embedded } = exchange;
  if (embedded === undefined) return undefined;
  if (embedded.traders === 'tape' && embedded.tapes.length === 0) {
    throw loaded.problem(['exchange', 'embedded', 'tapes'], 'expected a recorded feed, here or with --tape <file>');
  }
  return startEmbeddedExchange(embedded, log, {
    league: markets.leagues[0] ?? 'NBA',
    profile: exchange.profile,
    sports,
    tapes: embedded.tapes.map((tape) => loaded.resolve(tape)),
    ...accountOf(exchange),
  });
}

/** URLs and credentials of the configured account. */
export function targetOf(
  { config: { exchange } }: LoadedConfig,
  embedded: EmbeddedExchange | undefined,
): Omit<DoorTarget, 'former'> {
  return {
    restUrl: embedded?.restUrl ?? exchange.restUrl ?? '',
    socketUrl: embedded?.socketUrl ?? exchange.socketUrl ?? '',
    ...accountOf(exchange),
  };
}

/** Time-out of the request for the exchange's own counts, ms. */
const COUNTS_MS = 2000;

/**
 * The exchange's own counts for the account, to compare with those of the bot. An exchange that has ended or
 * hangs does not affect the run.
 */
export async function venueCounts(
  exchange: EmbeddedExchange,
  username: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const signal = AbortSignal.timeout(COUNTS_MS);
    const response = await fetch(`${exchange.adminUrl}/accounts/${username}`, { signal });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
