// A connection to Redis or Valkey that waits for it a bounded time: at the start, and whenever it is away meanwhile. Nothing
// that is said of it has its password.
import { Redis } from 'ioredis';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../../domain/index.ts';

const RETRY_MS = 500;
const DENIED = /WRONGPASS|NOAUTH|NOPERM|invalid password|invalid username|DB index is out of range/i;
const IS_FULL = /\bOOM\b/;
/** As Node names what is wrong with a certificate. */
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
const UNTRUSTED = /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_)/;
const IS_OTHER_TYPE = /\bWRONGTYPE\b/;
const NO_WORD = 'it does not answer';

/** Nothing of it is shown: what is wrong may be in its password. @throws OddsmakerError SWEEP_INVALID */
function checkUrl(url: string): void {
  if (!/^rediss?:\/\/[^/]/.test(url))
    throw new OddsmakerError('SWEEP_INVALID', '--redis: expected a URL such as redis://127.0.0.1:6379');
  try {
    const { username, password, hostname, pathname, hash } = new URL(url);
    for (const text of [username, password]) decodeURIComponent(text);
    if (hostname !== '' && hash === '' && !url.includes('#') && /^(\/\d*)?$/.test(pathname)) return;
  } catch {
    // said below
  }
  throw new OddsmakerError(
    'SWEEP_INVALID',
    '--redis: this is no URL of a Redis: expected redis://USER:PASSWORD@HOST:PORT/NUMBER, with a port up to 65535 and the number of a database, or without them; in user and password write % as %25, # as %23, / as %2F, ? as %3F, @ as %40 and : as %3A',
  );
}

/** As it may be shown. */
export function shownUrl(url: string): string {
  try {
    const shown = new URL(url);
    shown.password = '';
    shown.username = '';
    shown.search = '';
    return shown.href;
  } catch {
    return 'the URL of --redis';
  }
}

export class RedisLink {
  readonly client: Redis;
  readonly shown: string;
  /** Rejects when it was away for too long, or refuses us; it never resolves. */
  readonly lost: Promise<never>;
  /** How long it may be away, or full. */
  readonly waitMs: number;
  #fail: (error: OddsmakerError) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `waitMs`: how long it may be away. @throws OddsmakerError SWEEP_INVALID when this is no URL of Redis */
  constructor(url: string, waitMs: number) {
    checkUrl(url);
    this.shown = shownUrl(url);
    this.waitMs = waitMs;
    this.lost = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    // whoever waits for nothing else is told all the same
    this.lost.catch(() => undefined);
    this.client = new Redis(url, {
      maxRetriesPerRequest: null,
      retryStrategy: () => RETRY_MS,
      connectTimeout: waitMs,
    });
    let problem = NO_WORD;
    this.client.on('error', (error: Error) => {
      problem = printable(messageOf(error)) || problem;
      const code = systemCodeOf(error);
      if (DENIED.test(problem)) this.#fail(refusedBy(this.shown, problem));
      // it stays as it is, however often it is asked
      else if (typeof code === 'string' && UNTRUSTED.test(code)) this.#fail(untrusted(this.shown, code, problem));
    });
    this.client.on('ready', () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    });
    // every attempt that fails closes it again: the time counts from the first
    const wait = (): void => {
      if (this.#isClosed) return;
      this.#timer ??= setTimeout(() => {
        this.#fail(
          new OddsmakerError(
            'QUEUE_UNREACHABLE',
            `Redis at ${this.shown} has not answered for ${this.waitMs / 1000} s (${problem}${hintOf(this.shown, problem)})`,
          ),
        );
      }, this.waitMs);
    };
    wait();
    this.client.on('close', () => {
      if (this.client.status !== 'end') wait();
    });
  }

  /** What it says, unless it is away for too long. @throws OddsmakerError QUEUE_* */
  async ask<T>(question: Promise<T>): Promise<T> {
    try {
      return await Promise.race([question, this.lost]);
    } catch (error) {
      question.catch(() => undefined);
      throw this.explained(error);
    }
  }

  explained(error: unknown): unknown {
    if (error instanceof OddsmakerError) return error;
    const message = messageOf(error);
    if (IS_FULL.test(message))
      return new OddsmakerError(
        'QUEUE_FULL',
        `Redis at ${this.shown} takes nothing more, its memory is full (maxmemory): what was played is kept`,
      );
    if (IS_OTHER_TYPE.test(message)) return notOurs(this.shown, error);
    // such as READONLY of a replica, or MISCONF of one whose disk is full
    const isItsWord = error instanceof Error && error.name === 'ReplyError';
    return isItsWord || DENIED.test(message) ? refusedBy(this.shown, message) : error;
  }

  /** What may lose points there; undefined: nothing. @throws OddsmakerError QUEUE_* */
  async risk(): Promise<string | undefined> {
    // the client goes on in another one where there is none of that number
    const { db = 0 } = this.client.options;
    if (db !== 0) await this.ask(this.client.select(db));
    const info = await this.ask(this.client.info('memory'));
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    if (policy === undefined || policy === 'noeviction') return undefined;
    return `Redis at ${this.shown} evicts keys when its memory is full (maxmemory-policy ${policy}), and points with them: set it to noeviction`;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.client.disconnect();
  }
}

/** What a connection that is taken and then dropped, or never answered, may come of. */
function hintOf(shown: string, problem: string): string {
  const isTls = shown.startsWith('rediss:');
  if (/ECONNRESET|EPIPE|wrong version number|alert/i.test(problem))
    return isTls
      ? '; a port without TLS is redis://, and one that asks for certificates of clients needs tls-auth-clients no'
      : '; a port of TLS is rediss://';
  return isTls && problem === NO_WORD ? '; a port without TLS is redis://' : '';
}

/** A key that is none of ours, by the command that found it. */
function notOurs(shown: string, error: unknown): OddsmakerError {
  const { name = '', args = [] } =
    (error as { readonly command?: { readonly name?: string; readonly args?: readonly unknown[] } }).command ?? {};
  // a script is told how many keys it has, then these
  const key = printable(String(/^eval/i.test(name) ? args[2] : args[0]));
  return new OddsmakerError(
    'QUEUE_INVALID',
    /^eval/i.test(name)
      ? `Redis at ${shown}: something else writes into a queue of oddsmaker: one of its keys (${key} and its like) is of another type; remove it by redis-cli DEL`
      : `Redis at ${shown}: something else writes into ${key}, which is of oddsmaker, and is of another type now: remove it by redis-cli DEL ${key}`,
  );
}

const untrusted = (shown: string, code: string, problem: string): OddsmakerError =>
  new OddsmakerError(
    'QUEUE_UNTRUSTED',
    code === OTHER_HOST
      ? `Redis at ${shown} shows the certificate of another host (${problem}): name the host as its certificate does`
      : `Redis at ${shown} shows a certificate that is not trusted (${problem}): name the file of its CA, NODE_EXTRA_CA_CERTS=ca.pem`,
  );

const refusedBy = (shown: string, problem: string): OddsmakerError =>
  new OddsmakerError('QUEUE_REFUSED', `Redis at ${shown} refuses: ${printable(problem)}`);
