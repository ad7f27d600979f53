// The log: JSON lines on stderr, written synchronously so that none is lost at exit. Secrets are hidden.
import { destination, pino } from 'pino';
import { printableLines, withoutSecrets, redacted } from '../domain/index.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type Fields = Readonly<Record<string, unknown>>;
/** Each message is a constant sentence, with fields. */
export type Log = {
  readonly debug: (message: string, fields?: Fields) => void;
  readonly info: (message: string, fields?: Fields) => void;
  readonly warn: (message: string, fields?: Fields) => void;
  readonly error: (message: string, fields?: Fields) => void;
};

/** A log whose lowest level can change. */
export type RootLog = Log & { readonly setLevel: (level: LogLevel) => void };

const MAX_DEPTH = 8;
/** Most bytes that wait when stderr blocks, as on a full disk. Further lines are lost, and nothing else. */
const MOST_WAITING = 1 << 20;

const hidden = (fields: Fields): object => withoutSecrets(fields, MAX_DEPTH) as object;

/** @param quiet warnings and errors only: a status line uses the terminal */
export function createLog(level: LogLevel, quiet = false): RootLog {
  const stderr = destination({ dest: 2, sync: true, maxLength: MOST_WAITING });
  stderr.on('error', () => {});
  const logger = pino(
    {
      level: shownLevel(level, quiet),
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    // JSON does not escape all control characters
    { write: (line: string) => void stderr.write(printableLines(line)) },
  );
  return {
    setLevel: (next) => {
      logger.level = shownLevel(next, quiet);
    },
    debug: (message, fields = {}) => {
      logger.debug(hidden(fields), redacted(message));
    },
    info: (message, fields = {}) => {
      logger.info(hidden(fields), redacted(message));
    },
    warn: (message, fields = {}) => {
      logger.warn(hidden(fields), redacted(message));
    },
    error: (message, fields = {}) => {
      logger.error(hidden(fields), redacted(message));
    },
  };
}

const shownLevel = (level: LogLevel, quiet: boolean): LogLevel =>
  quiet && (level === 'info' || level === 'debug' || level === 'trace') ? 'warn' : level;
