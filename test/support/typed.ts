// The commands of a page, typed into a shell as they are written there. A comment behind a command says what else is true of
// it: `until Ctrl-C` (it goes on in a terminal of its own), `exit 75` (it ends with that, and not with 0).
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export type Command = { readonly line: string; readonly goesOn: boolean; readonly exit: number };
export type PageFile = { readonly name: string; readonly text: string };
/** `code` as a shell tells it: of what a signal ended, 128 and its number. */
export type Typed = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** In order: every line of the page's shell blocks; a backslash at its end joins it with the next. */
export const commandsOf = (page: string): readonly Command[] =>
  blocksOf(page, 'sh')
    .flatMap((block) => block.replace(/\\\n\s*/g, '').split('\n'))
    .map((typed) => {
      const [, line = '', comment = ''] = /^(.*?)(?:(?:^|\s+)#\s(.*))?$/.exec(typed) ?? [];
      const [, exit = '0'] = /\bexit (\d+)/.exec(comment) ?? [];
      return { line: line.trim(), goesOn: /\buntil\b/.test(comment), exit: Number(exit) };
    })
    .filter(({ line }) => line !== '');

/** The blocks whose first line is a comment with nothing but a path: what that file is to hold. */
export const filesOf = (page: string): readonly PageFile[] =>
  ['yaml', 'ts'].flatMap((language) =>
    blocksOf(page, language).flatMap((text) => {
      const [, name] = /^(?:#|\/\/) ([\w./-]+\.\w+)\n/.exec(text) ?? [];
      return name === undefined ? [] : [{ name, text }];
    }),
  );

export const blocksOf = (page: string, language: string): readonly string[] =>
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , block = '']) => block);

const OURS = /^(?:npm_(?!config_(?:registry|cache|userconfig))|NODE_|VITEST|INIT_CWD)/i;

/** Without what this run of the tests and what this checkout have set: then the Node of the machine is first. */
export const shellEnv = (cache: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name))),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  XDG_CACHE_HOME: cache,
});

const terminals: Terminal[] = [];

/** Whatever still runs in them ends, also what was to end by itself. */
export const closeTerminals = (): void => {
  for (const terminal of terminals.splice(0)) terminal.kill();
};

/** A shell that somebody types into; `cd` holds for what follows. */
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

  /** What a command that ends by itself wrote on its standard output. Throws when it ends otherwise than it should. */
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

  /** A command that goes on, in a terminal of its own. */
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

/** One command and all that it starts. */
export class Terminal {
  readonly ended: Promise<Typed>;
  readonly #line: string;
  readonly #child: ChildProcess;
  readonly #said = { stdout: '', stderr: '' };

  constructor(line: string, child: ChildProcess) {
    this.#line = line;
    this.#child = child;
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]?.setEncoding('utf8').on('data', (text: string) => (this.#said[stream] += text));
    this.ended = (once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>).then(([code, signal]) => ({
      code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'],
      ...this.#said,
    }));
  }

  /** Resolves once either stream matches; rejects when the command ends before. */
  says(what: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (what.test(this.#said.stdout) || what.test(this.#said.stderr)) resolve();
      };
      for (const stream of ['stdout', 'stderr'] as const) this.#child[stream]?.on('data', look);
      void this.ended.then(({ code, stderr }) =>
        reject(new Error(`${this.#line}\nended with ${code} before it said ${String(what)}\n${stderr}`)),
      );
      look();
    });
  }

  /** As a terminal does: to all of the group. */
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
      // all of the group have ended
    }
  }
}
