// Commands and paper exchanges as child processes. A process that a test started is ended by its pid after
// the test, or after the last of concurrent tests. A process that `beforeAll` started serves the whole file.
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CommandRequest } from './command-host.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const TWO_SIDED = join(ROOT, 'strategies/two-sided.ts');
const HOST = join(ROOT, 'test/support/command-host.ts');
/** The build of the code that a whole test run uses (built.ts). Undefined: the sources are run. */
export const BUILT = process.env['ODDSMAKER_BUILT'];
/** The folder of the code that is run. */
export const CODE = BUILT ?? ROOT;
export const BIN = join(CODE, 'bin/oddsmaker.js');

type Child = ChildProcessByStdio<null, Readable, Readable>;
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type Running = {
  readonly child: Child;
  readonly ended: Promise<Ended>;
  /** The output so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /**
   * Resolves with all output of the stream once it matches `pattern`; rejects when the command ends before.
   */
  readonly prints: (stream: 'stdout' | 'stderr', pattern: RegExp) => Promise<string>;
};
export type Exchange = {
  readonly restUrl: string;
  readonly socketUrl: string;
  readonly adminUrl: string;
  readonly games: readonly {
    readonly id: string;
    readonly participants: readonly { readonly id: string }[];
  }[];
};
/** The venue's own counts of an account. */
export type AccountCounts = {
  readonly openOrders: number;
  readonly fills: number;
  readonly requests: Readonly<Record<'place' | 'edit' | 'cancel' | 'other', number>>;
};
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly authorization: string | undefined;
  readonly answer: string;
};

/** Processes, servers and folders that end with a test or with the file. */
class Started {
  readonly children = new Set<{ readonly child: Child; readonly gone: Promise<unknown> }>();
  readonly servers = new Set<Server>();
  readonly folders: string[] = [];

  async end(): Promise<void> {
    for (const { child, gone } of this.children) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await gone;
    }
    this.children.clear();
    for (const server of this.servers) {
      server.closeAllConnections();
      server.close();
    }
    this.servers.clear();
    for (const folder of this.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

const ofTests = new Started();
const ofFile = new Started();
let testsRunning = 0;
const started = (): Started => (testsRunning > 0 ? ofTests : ofFile);

/** Hooks that clean-up.ts calls around tests and after each file. */
export const cleanUp = {
  beforeTest: (): void => {
    testsRunning += 1;
  },
  afterTest: async (): Promise<void> => {
    testsRunning -= 1;
    if (testsRunning === 0) await ofTests.end();
  },
  afterFile: async (): Promise<void> => {
    await ofFile.end();
    if (host === undefined) return;
    const gone = once(host, 'exit');
    host.disconnect();
    await gone;
  },
};

export const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running =>
  startBin(BIN, args, env);

/** Starts the command `bin`, which may belong to another checkout. */
export function startBin(bin: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const output = { stdout: '', stderr: '' };
  const gone = once(child, 'close');
  started().children.add({ child, gone });
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
  return {
    child,
    output,
    ended: gone.then(([code]) => ({ code: code as number | null, ...output })),
    prints: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(output[stream])) resolve(output[stream]);
        };
        child[stream].on('data', look);
        void gone.then(() =>
          reject(new Error(`the command ended before it printed ${String(pattern)}: ${output.stderr}`)),
        );
        look();
      }),
  };
}

/** The lines of a bot's log at level error. */
export const errorLinesOf = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => line.includes('"level":"error"'));

export const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  start(args, env).ended;

let host: ChildProcess | undefined;
let former: Promise<unknown> = Promise.resolve();

/**
 * Runs a command that writes no log in the single process that a test file has for such commands
 * (command-host.ts), since a new process, as `run` starts one, takes most of a second. It cannot show the end
 * of a process or its log.
 */
export function command(args: readonly string[]): Promise<Ended> {
  const ended = former.then(
    () =>
      new Promise<Ended>((resolve, reject) => {
        host ??= fork(HOST, { execArgv: [], silent: true });
        const gone = (code: number | null): void => {
          host = undefined;
          reject(new Error(`the process of the commands ended with ${code} in: ${args.join(' ')}`));
        };
        host.once('exit', gone);
        host.once('message', (message) => {
          host?.off('exit', gone);
          resolve(message as Ended);
        });
        host.send({ args } satisfies CommandRequest);
      }),
  );
  // one after the other, also after a failure
  former = ended.catch(() => undefined);
  return ended;
}

/** Starts a paper exchange; resolves when it is ready. */
export async function startExchange(...flags: readonly string[]): Promise<Exchange> {
  const line = await start(['exchange', '--port', '0', ...flags]).prints('stdout', /\n/);
  return JSON.parse(line) as Exchange;
}

export async function countsOf(exchange: Exchange, username: string): Promise<AccountCounts> {
  return (await (await fetch(`${exchange.adminUrl}/accounts/${username}`)).json()) as AccountCounts;
}

/**
 * A proxy in front of an exchange's REST side that records each call. Its answers have a Date header while
 * `dates()`.
 */
export async function startDoor(
  exchange: Pick<Exchange, 'restUrl'>,
  dates: () => boolean = () => true,
  rewritten: (body: string) => string = (body) => body,
): Promise<{ readonly url: string; readonly calls: Call[] }> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const { authorization, 'content-type': type } = headers;
      void fetch(exchange.restUrl + path, {
        method,
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(method === 'GET' ? {} : { body: rewritten(Buffer.concat(chunks).toString()) }),
      }).then(async (reply) => {
        const answer = await reply.text();
        calls.push({ method, path, status: reply.status, authorization, answer });
        response.sendDate = dates();
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(answer);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  started().servers.add(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** A loopback port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'oddsmaker-cli-'));
  started().folders.push(made);
  return made;
}

export function writeConfig(yaml: string, into = folder()): string {
  const file = join(into, 'bot.yaml');
  writeFileSync(file, withFreePort(yaml));
  return file;
}

/**
 * Adds a free admin port, which bots of an exchange that is not embedded need, since many run at once in
 * tests.
 */
export const withFreePort = (yaml: string): string =>
  !/\brestUrl: /.test(yaml) || /^ops:/m.test(yaml) ? yaml : `${yaml.replace(/\n$/, '')}\nops: { port: 0 }\n`;

export const STRATEGIES = `strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.02, risk: 100 } }\n`;
/** The limit that `run` demands for an exchange that is not embedded. No test loses that much. */
export const DAY_LIMIT = 'risk: { maxDailyLoss: 100000 }\n';
export const NO_JOURNAL = 'journal: { dir: null }\n';

/**
 * Lines after an `exchangeSection`: a fifth of the exchange's request windows. They count as used up at the
 * start, so the first orders go out after one second instead of five.
 */
export const SHORT_WINDOWS = [
  '  limits: { place: { requests: 5, window: 1s }, cancel: { requests: 15, window: 1s } }',
  '  lateArrival: 2s',
  'orders: { reserve: 1 }',
].join('\n');

export const exchangeSection = (
  restUrl: string,
  socketUrl: string,
  fields: { readonly username?: string; readonly password?: string; readonly startTimeout?: string } = {},
): string =>
  [
    'exchange:',
    `  restUrl: ${restUrl}`,
    `  socketUrl: ${socketUrl}`,
    `  username: ${fields.username ?? 'alice'}`,
    `  password: ${fields.password ?? '"alice-pw"'}`,
    `  startTimeout: ${fields.startTimeout ?? '5s'}`,
    '',
  ].join('\n');
