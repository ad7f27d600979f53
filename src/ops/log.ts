// The log: JSON lines on stderr, written at once so that none is lost at exit. Secrets are hidden.
import { destination, pino } from 'pino';
import { withoutSecrets } from '../domain/index.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type Fields = Readonly<Record<string, unknown>>;
/** A constant sentence and fields. */
export type Log = {
  readonly debug: (message: string, fields?: Fields) => void;
  readonly info: (message: string, fields?: Fields) => void;
  readonly warn: (message: string, fields?: Fields) => void;
  readonly error: (message: string, fields?: Fields) => void;
};

const MAX_DEPTH = 8;

const hidden = (fields: Fields): object => withoutSecrets(fields, MAX_DEPTH) as object;

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
      logger.debug(hidden(fields), message);
    },
    info: (message, fields = {}) => {
      logger.info(hidden(fields), message);
    },
    warn: (message, fields = {}) => {
      logger.warn(hidden(fields), message);
    },
    error: (message, fields = {}) => {
      logger.error(hidden(fields), message);
    },
  };
}
