// Which line of a strategy runs on the main thread right now, asked for by another thread: the main thread pauses for it, and may
// carry out an expression meanwhile. Needs a loop of its own that stays alive: answers come as events.
import type { Debugger } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

export type StuckLine = { readonly file: string; readonly line: number; readonly name: string };

export class PausedMain {
  readonly #session: Session;
  /** Of a file that is neither ours nor a library's; undefined: none of those runs. */
  readonly line: StuckLine | undefined;

  private constructor(session: Session, line: StuckLine | undefined) {
    this.#session = session;
    this.line = line;
  }

  static async pause(): Promise<PausedMain> {
    const session = new Session();
    session.connectToMainThread();
    const urls = new Map<string, string>();
    session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
    const paused = new Promise<Debugger.PausedEventDataType>((resolve) =>
      session.once('Debugger.paused', ({ params }) => resolve(params)),
    );
    await session.post('Debugger.enable');
    await session.post('Debugger.pause');
    const { callFrames } = await paused;
    return new PausedMain(session, lineIn(callFrames, urls));
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#session.post('Runtime.evaluate', { expression, returnByValue: true });
    return result.value;
  }

  /**
   * The expression ends the process, which would wait for whoever is connected; but Node aborts when it tells somebody of the
   * expression who is gone, so that has to have begun.
   */
  async leave(expression: string, begun: () => Promise<void>): Promise<void> {
    // it answers only where it could not
    await Promise.race([begun(), this.#session.post('Runtime.evaluate', { expression })]);
    this.#session.disconnect();
  }

  async resume(): Promise<void> {
    // it goes on, and tells nobody any more of what it compiles
    await this.#session.post('Debugger.disable');
    this.#session.disconnect();
  }
}

/** The innermost line of a file that is neither ours nor a library's. */
function lineIn(frames: readonly Debugger.CallFrame[], urls: ReadonlyMap<string, string>): StuckLine | undefined {
  const ours = new URL('../', import.meta.url).href;
  for (const { location, functionName } of frames) {
    const [url = ''] = (urls.get(location.scriptId) ?? '').split('?');
    if (!url.startsWith('file:') || url.startsWith(ours) || url.includes('/node_modules/')) continue;
    return { file: fileURLToPath(url), line: location.lineNumber + 1, name: functionName };
  }
  return undefined;
}
