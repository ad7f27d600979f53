// A Redis server for a test, on a free loopback port, without files, ended by its process id.
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { closedPort, folder } from './children.ts';

export const HAS_REDIS = (() => {
  try {
    return execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).startsWith('Redis server');
  } catch {
    console.warn('redis-server is not installed: tests that need one are skipped');
    return false;
  }
})();

export class TestRedis implements AsyncDisposable {
  readonly port: number;
  #server: ChildProcess | undefined;
  #client: Redis | undefined;

  readonly #flags: readonly string[];

  private constructor(port: number, flags: readonly string[]) {
    this.port = port;
    this.#flags = flags;
  }

  /**
   * Starts a server with command-line `flags` such as `--maxmemory 2mb`, which also hold after `end` and
   * `begin`.
   */
  static async start(flags: readonly string[] = []): Promise<TestRedis> {
    const redis = new TestRedis(await closedPort(), flags);
    await redis.begin();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** A client that is connected while the server runs. */
  get client(): Redis {
    if (this.#client === undefined) throw new Error('the Redis server is not running');
    return this.#client;
  }

  async begin(): Promise<void> {
    this.#server = spawn(
      'redis-server',
      [
        ...['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
        ...['--dir', folder(), ...this.#flags],
      ],
      { stdio: 'ignore' },
    );
    this.#client = new Redis(this.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    this.#client.on('error', () => undefined);
    // a server with a password answers with an error
    await this.#client.ping().catch((error: unknown) => {
      if (!String(error).includes('NOAUTH')) throw error;
    });
  }

  async end(): Promise<void> {
    this.#client?.disconnect();
    this.#client = undefined;
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
