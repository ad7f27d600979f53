// The commands of a page, typed into a shell as they are written there.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** In order: every line of the page's shell blocks, without comments. */
export const commandsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split('\n')
      .map((line) => line.replace(/\s+#.*$/, '').trim())
      .filter((line) => line !== ''),
  );

export type Typed = { readonly command: string; readonly said: string };

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

  /** What a command that ends by itself wrote on its standard output. Throws when it fails. */
  run(command: string): string {
    const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
    if (folder !== undefined) {
      readdirSync((this.#folder = join(this.#folder, folder)));
      return '';
    }
    return execFileSync('sh', ['-c', command], {
      ...{ cwd: this.#folder, env: this.#env, encoding: 'utf8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** A bot: once it quotes, and `meanwhile` is over, Ctrl-C. Returns its exit code and what it wrote. */
  async quoteAndStop(
    command: string,
    meanwhile: (says: (what: RegExp) => Promise<void>) => Promise<void>,
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    const child = spawn('sh', ['-c', command], {
      ...{ cwd: this.#folder, env: this.#env, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    let news = (): void => undefined;
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].on('data', (chunk: Buffer) => {
        said[stream] += String(chunk);
        news();
      });
    const gone = once(child, 'close') as Promise<[number | null]>;
    const says = async (what: RegExp): Promise<void> => {
      while (!what.test(said.stderr)) {
        if (child.exitCode !== null) throw new Error(`${command} ended: ${said.stderr}`);
        await new Promise<void>((resolve) => (news = resolve));
      }
    };
    try {
      await says(/"msg":"quoting"/);
      await meanwhile(says);
      // as a terminal does: to all of the group
      process.kill(-(child.pid ?? 0), 'SIGINT');
      const [code] = await gone;
      return { code, ...said };
    } finally {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
    }
  }
}
