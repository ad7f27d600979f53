// A connection to Redis or Valkey that waits a bounded time for the server, at the start and whenever it is
// away. No message contains its password.
import { Redis } from 'ioredis';
import { messageOf, OddsmakerError, printable, systemCodeOf } from '../../domain/index.ts';

const RETRY_MS = 500;
const DENIED = /WRONGPASS|NOAUTH|NOPERM|invalid password|invalid username|DB index is out of range/i;
const IS_FULL = /\bOOM\b/;
/** Node error codes of a bad certificate. */
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
const UNTRUSTED = /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_)/;
const IS_OTHER_TYPE = /\bWRONGTYPE\b/;
const NO_ANSWER = 'it does not answer';

/**
 * Checks a URL. The error shows no part of it, since the bad part may be in the password. @throws
 * OddsmakerError SWEEP_INVALID
 */
function checkUrl(url: string): void {
  if (!/^rediss?:\/\/[^/]/.test(url))
    throw new OddsmakerError('SWEEP_INVALID', '--redis: expected a URL such as redis://127.0.0.1:6379');
  try {
    const { username, password, hostname, pathname, hash } = new URL(url);
    // a call whose value is not used would be missing in the bundle: bundlers take it as pure, although it throws
    const isLogin = decodeURIComponent(`${username}:${password}`).length > 0;
    if (isLogin && hostname !== '' && hash === '' && !url.includes('#') && /^(\/\d*)?$/.test(pathname)) return;
  } catch {
    // the error follows below
  }
  throw new OddsmakerError(
    'SWEEP_INVALID',
    '--redis: this is not a Redis URL: expected redis://USER:PASSWORD@HOST:PORT/NUMBER, where port (at most 65535) and database number may be left out; in user and password write % as %25, # as %23, / as %2F, ? as %3F, @ as %40 and : as %3A',
  );
}

/** The URL without user, password and query, as messages show it. */
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
  /** Rejects when Redis was away for longer than `waitMs` or refuses this client; it never resolves. */
  readonly lost: Promise<never>;
  /** How long Redis may be away or full, ms. */
  readonly waitMs: number;
  #fail: (error: OddsmakerError) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * `waitMs`: how long Redis may be away. @throws OddsmakerError SWEEP_INVALID when the URL is not one of
   * Redis
   */
  constructor(url: string, waitMs: number) {
    checkUrl(url);
    this.shown = shownUrl(url);
    this.waitMs = waitMs;
    this.lost = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    // callers see the rejection through `ask`; without this handler Node would end the process
    this.lost.catch(() => undefined);
    this.client = new Redis(url, {
      maxRetriesPerRequest: null,
      retryStrategy: () => RETRY_MS,
      connectTimeout: waitMs,
    });
    let problem = NO_ANSWER;
    this.client.on('error', (error: Error) => {
      problem = printable(messageOf(error)) || problem;
      const code = systemCodeOf(error);
      if (DENIED.test(problem)) this.#fail(refusedBy(this.shown, problem));
      // trying again would not change it
      else if (typeof code === 'string' && UNTRUSTED.test(code)) this.#fail(untrusted(this.shown, code, problem));
    });
    this.client.on('ready', () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    });
    // every failed attempt closes the connection again: the time counts from the first one
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

  /**
   * The answer of Redis to a request. @throws OddsmakerError QUEUE_*, also when Redis is away for too long
   */
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
        `Redis at ${this.shown} refuses writes because its memory is full (maxmemory): results so far are kept`,
      );
    if (IS_OTHER_TYPE.test(message)) return wrongType(this.shown, error);
    // the error of Redis itself, such as READONLY of a replica, or MISCONF of a server whose disk is full
    const isReply = error instanceof Error && error.name === 'ReplyError';
    return isReply || DENIED.test(message) ? refusedBy(this.shown, message) : error;
  }

  /** A setting of Redis that may lose points; undefined when there is none. @throws OddsmakerError QUEUE_* */
  async risk(): Promise<string | undefined> {
    // the client silently uses another database where this number does not exist
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

/** A likely cause of a connection that is accepted and then dropped, or never answered. */
function hintOf(shown: string, problem: string): string {
  const isTls = shown.startsWith('rediss:');
  if (/ECONNRESET|EPIPE|wrong version number|alert/i.test(problem))
    return isTls
      ? '; use redis:// for a port without TLS, and set tls-auth-clients no where the server asks for client certificates'
      : '; use rediss:// for a TLS port';
  return isTls && problem === NO_ANSWER ? '; use redis:// for a port without TLS' : '';
}

/** A key of oddsmaker that has another type, named by the command that found it. */
function wrongType(shown: string, error: unknown): OddsmakerError {
  const { name = '', args = [] } =
    (error as { readonly command?: { readonly name?: string; readonly args?: readonly unknown[] } }).command ?? {};
  // the arguments of a script: its text, the number of keys, then the keys
  const key = printable(String(/^eval/i.test(name) ? args[2] : args[0]));
  return new OddsmakerError(
    'QUEUE_INVALID',
    /^eval/i.test(name)
      ? `Redis at ${shown}: another program writes into a queue of oddsmaker: ${key}, or a key like it, has the wrong type; remove it with redis-cli DEL`
      : `Redis at ${shown}: another program writes into ${key}, a key of oddsmaker, and it has the wrong type now: remove it with redis-cli DEL ${key}`,
  );
}

const untrusted = (shown: string, code: string, problem: string): OddsmakerError =>
  new OddsmakerError(
    'QUEUE_UNTRUSTED',
    code === OTHER_HOST
      ? `Redis at ${shown} presents the certificate of another host (${problem}): use the host name of the certificate in --redis`
      : `Redis at ${shown} presents a certificate that is not trusted (${problem}): set NODE_EXTRA_CA_CERTS to the file of its CA`,
  );

const refusedBy = (shown: string, problem: string): OddsmakerError =>
  new OddsmakerError('QUEUE_REFUSED', `Redis at ${shown} refuses: ${printable(problem)}`);
