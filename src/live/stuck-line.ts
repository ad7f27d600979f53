// Finds from another thread which line of a strategy the main thread is running. The debugger pauses the main
// thread, which can evaluate expressions meanwhile. The calling thread needs a live event loop, because
// answers arrive as events.
import type { Debugger } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { OWN_CODE } from '../files/index.ts';

export type StuckLine = { readonly file: string; readonly line: number; readonly name: string };

export class PausedMain {
  readonly #session: Session;
  /** The innermost line outside of Oddsmaker and its libraries. Undefined when no such line is running. */
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
   * Evaluates an expression that ends the process, and disconnects. The exiting process would wait for a
   * connected debugger. But Node aborts when it must answer one that has disconnected, so this waits until
   * the expression has begun.
   */
  async leave(expression: string, begun: () => Promise<void>): Promise<void> {
    // the evaluation answers only when it failed
    await Promise.race([begun(), this.#session.post('Runtime.evaluate', { expression })]);
    this.#session.disconnect();
  }

  async resume(): Promise<void> {
    // the main thread continues, and sends no more events about compiled scripts
    await this.#session.post('Debugger.disable');
    this.#session.disconnect();
  }
}

/** The innermost line outside of Oddsmaker and its libraries. */
function lineIn(frames: readonly Debugger.CallFrame[], urls: ReadonlyMap<string, string>): StuckLine | undefined {
  for (const { location, functionName } of frames) {
    const [url = ''] = (urls.get(location.scriptId) ?? '').split('?');
    if (!url.startsWith('file:') || url.startsWith(OWN_CODE) || url.includes('/node_modules/')) continue;
    return { file: fileURLToPath(url), line: location.lineNumber + 1, name: functionName };
  }
  return undefined;
}
