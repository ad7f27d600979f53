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

const SECRETS = ['password', 'token', 'auth', 'Authorization', 'authorization'];

/** @param quiet warnings and errors only: a status line has the terminal */
export function createLog(level: LogLevel, quiet = false): Log {
  const logger = pino(
    {
      level: quiet && (level === 'info' || level === 'debug' || level === 'trace') ? 'warn' : level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)], censor: '[hidden]' },
    },
    destination({ dest: 2, sync: true }),
  );
  return {
    debug: (message, fields = {}) => {
      logger.debug(fields, message);
    },
    info: (message, fields = {}) => {
      logger.info(fields, message);
    },
    warn: (message, fields = {}) => {
      logger.warn(fields, message);
    },
    error: (message, fields = {}) => {
      logger.error(fields, message);
    },
  };
}
