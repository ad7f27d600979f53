// The paper exchange as a process of its own beside the bot, which talks to it only over the wire.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ErrorCode } from '../domain/index.ts';
import { OddsmakerError, messageOf } from '../domain/index.ts';
import type { Config, LoadedConfig } from '../config/index.ts';
import type { Log } from '../ops/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { changedSettings } from '../wire/index.ts';
import type { DoorTarget } from './bot-door.ts';
import { accountOf } from '../setup/index.ts';

/** A bot that embeds this exchange names its account in this variable, as JSON. */
export const ACCOUNT_VARIABLE = 'ODDSMAKER_EMBEDDED_ACCOUNT';

export type EmbeddedExchange = {
  readonly restUrl: string;
  readonly socketUrl: string;
  readonly adminUrl: string;
  /** Settles when the exchange ended by itself. */
  readonly died: Promise<OddsmakerError>;
  /** Ends it and waits until it is gone. */
  readonly close: () => Promise<void>;
};

/** What its exit codes mean for us. */
const ENDINGS: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [2, 'CONFIG_INVALID'],
  [65, 'TAPE_INVALID'],
  [75, 'EXCHANGE_UNREACHABLE'],
]);

/** How long an exchange may take to end. */
const CLOSE_MS = 5000;

type Embedded = NonNullable<Config['exchange']['embedded']>;

/** What the configuration says of the wire holds for the exchange too. */
const settingsOf = (profile: WireProfile): readonly string[] =>
  changedSettings(profile).map(([name, value]) => `${name}=${JSON.stringify(value)}`);

type EmbeddedSettings = {
  readonly league: string;
  readonly profile: Config['exchange']['profile'];
  /** Bot and exchange settle games alike. */
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
    ...settingsOf(profile).map((setting) => ['--profile', setting] as const),
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
  const bin = fileURLToPath(new URL('../../bin/oddsmaker.js', import.meta.url));
  // a process group of its own: Ctrl-C is for the bot, which needs the exchange to cancel; the channel ends it with us
  const child = spawn(process.execPath, [bin, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // the password must show neither in the list of processes nor in a message about flags
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
      const said = stderr.trim().replace(/^oddsmaker: /, '');
      const known = code === null ? undefined : ENDINGS.get(code);
      resolve(
        new OddsmakerError(
          known ?? 'EMBEDDED_EXCHANGE_DIED',
          known === undefined ? `the embedded paper exchange ended with code ${String(code)}: ${said}` : said,
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
  // such as a tape that is torn, or a payload in it that is left out
  const heard = (said: string): void => {
    log.warn('the embedded paper exchange has something to say', { said: said.trim() });
  };
  if (stderr !== '') heard(stderr);
  child.stderr?.on('data', heard);
  return {
    ...first,
    died,
    close: async () => {
      closing = true;
      child.kill('SIGTERM');
      // one that hangs hears nothing
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** The exchange that a configuration embeds; undefined when it names one by URLs. */
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

/** Where a configuration's account is. */
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

/** How long the exchange may take to say its own counts. */
const COUNTS_MS = 2000;

/**
 * What the exchange itself counted for the account, for comparison with our own. One that is gone or hangs by now changes
 * nothing of the run.
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
