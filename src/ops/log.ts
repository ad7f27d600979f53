// The log: JSON lines on stderr, written at once so that none is lost at exit. Secrets are redacted by name.
import { destination, pino } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type Fields = Readonly<Record<string, unknown>>;
/** A constant sentence and fields. */
export type Log = {
  readonly debug: (message: string, fields?: Fields) => void;
  readonly info: (message: string, fields?: Fields) => void;
  readonly warn: (message: string, fields?: Fields) => void;
  readonly error: (message: string, fields?: Fields) => void;
};

const SECRETS = new Set(['password', 'token', 'auth', 'authorization']);
const MAX_DEPTH = 8;

/** The fields with every secret hidden by name, however deep. */
function hidden(value: unknown, depth = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((one) => hidden(one, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      SECRETS.has(key.toLowerCase()) ? '[hidden]' : hidden(one, depth - 1),
    ]),
  );
}

/** @param quiet warnings and errors only: a status line has the terminal */
export function createLog(level: LogLevel, quiet = false): Log {
  const logger = pino(
    {
      level: quiet && (level === 'info' || level === 'debug' || level === 'trace') ? 'warn' : level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination({ dest: 2, sync: true }),
  );
  return {
    debug: (message, fields = {}) => {
      logger.debug(hidden(fields) as object, message);
    },
    info: (message, fields = {}) => {
      logger.info(hidden(fields) as object, message);
    },
    warn: (message, fields = {}) => {
      logger.warn(hidden(fields) as object, message);
    },
    error: (message, fields = {}) => {
      logger.error(hidden(fields) as object, message);
    },
  };
}
