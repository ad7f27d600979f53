// Types the commands of a documentation page into a shell as they are written. A comment after a command says
// more about it: `until Ctrl-C` (it keeps running in its own terminal), `exit 75` (its exit code is 75 and
// not 0).
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export type Command = { readonly line: string; readonly keepsRunning: boolean; readonly exit: number };
export type PageFile = { readonly name: string; readonly text: string };
/** The end of a command. `code` is that of a shell: 128 plus the number of the signal that ended it. */
export type Typed = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** The lines of the page's shell blocks in order. A backslash at the end of a line joins it with the next. */
export const commandsOf = (page: string): readonly Command[] =>
  blocksOf(page, 'sh')
    .flatMap((block) => block.replace(/\\\n\s*/g, '').split('\n'))
    .map((typed) => {
      const [, line = '', comment = ''] = /^(.*?)(?:(?:^|\s+)#\s(.*))?$/.exec(typed) ?? [];
      const [, exit = '0'] = /\bexit (\d+)/.exec(comment) ?? [];
      return { line: line.trim(), keepsRunning: /\buntil\b/.test(comment), exit: Number(exit) };
    })
    .filter(({ line }) => line !== '');

/** The files of a page: blocks whose first line is a comment with the path of the file. */
export const filesOf = (page: string): readonly PageFile[] =>
  ['yaml', 'ts', 'python'].flatMap((language) =>
    blocksOf(page, language).flatMap((text) => {
      const [, name] = /^(?:#|\/\/) ([\w./-]+\.\w+)\n/.exec(text) ?? [];
      return name === undefined ? [] : [{ name, text }];
    }),
  );

export const blocksOf = (page: string, language: string): readonly string[] =>
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , block = '']) => block);

const OWN_VARIABLES = /^(?:npm_(?!config_(?:registry|cache|userconfig))|NODE_|VITEST|INIT_CWD)/i;

/**
 * The environment without variables of this test run and this checkout, so that the machine's Node is first.
 */
export const shellEnv = (cache: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.test(name))),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  XDG_CACHE_HOME: cache,
});

const terminals: Terminal[] = [];

/** Kills all commands that still run. */
export const closeTerminals = (): void => {
  for (const terminal of terminals.splice(0)) terminal.kill();
};

/** A shell for typed commands. `cd` holds for the commands after it. */
export class Shell {
  readonly #env: NodeJS.ProcessEnv;
  #folder: string;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = env;
  }

  get folder(): string {
    return this.#folder;
  }

  write({ name, text }: PageFile): void {
    const file = join(this.#folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs a command to its end and returns its standard output. Throws when its exit code is not `exit`. */
  async run(line: string, exit = 0): Promise<string> {
    const [, folder] = /^cd (\S+)$/.exec(line) ?? [];
    if (folder !== undefined) {
      readdirSync((this.#folder = join(this.#folder, folder)));
      return '';
    }
    const { code, stdout, stderr } = await this.start(line).ended;
    if (code !== exit) throw new Error(`${line}\nended with ${code}, not ${exit}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Starts a command that keeps running, in its own terminal. */
  start(line: string): Terminal {
    const terminal = new Terminal(
      line,
      spawn('sh', ['-c', line], {
        cwd: this.#folder,
        env: this.#env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    terminals.push(terminal);
    return terminal;
  }
}

/** A command and the processes that it starts. */
export class Terminal {
  readonly ended: Promise<Typed>;
  readonly #line: string;
  readonly #child: ChildProcess;
  readonly #output = { stdout: '', stderr: '' };

  constructor(line: string, child: ChildProcess) {
    this.#line = line;
    this.#child = child;
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]?.setEncoding('utf8').on('data', (text: string) => (this.#output[stream] += text));
    this.ended = (once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>).then(([code, signal]) => ({
      code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'],
      ...this.#output,
    }));
  }

  /** Resolves with the match once either stream matches; rejects when the command ends before. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(this.#output.stdout) ?? pattern.exec(this.#output.stderr);
        if (found !== null) resolve(found);
      };
      for (const stream of ['stdout', 'stderr'] as const) this.#child[stream]?.on('data', look);
      void this.ended.then(({ code, stderr }) =>
        reject(new Error(`${this.#line}\nended with ${code} before it printed ${String(pattern)}\n${stderr}`)),
      );
      look();
    });
  }

  /** Sends SIGINT to the whole process group, as a terminal does. */
  async pressCtrlC(): Promise<Typed> {
    this.#signal('SIGINT');
    return await this.ended;
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.#child.pid ?? 0), signal);
    } catch {
      // all processes of the group have ended
    }
  }
}
