// A thread whose event loop stands still: the process, whose own loop turns, tells which line runs there.
import type { Debugger } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import type { Worker } from 'node:worker_threads';
import { LOOK_MS, STILL_LOOKS, tellLine } from './stuck-line.ts';

/** How often a thread says that its loop turns. */
export const TURN_MS = 250;

/** Watches a thread until `end`. */
export class ThreadWatch {
  readonly #worker: Worker;
  readonly #timer: NodeJS.Timeout;
  #looks = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#timer = setInterval(() => {
      this.#looks += 1;
      if (this.#looks === STILL_LOOKS) tellOf(this.#worker).catch(() => undefined);
    }, LOOK_MS).unref();
  }

  /** It said something. */
  heard(): void {
    this.#looks = 0;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

type Message = {
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
  } & Partial<Debugger.PausedEventDataType>;
};

async function tellOf(worker: Worker): Promise<void> {
  const session = new Session();
  session.connect();
  let id = 0;
  const send = (sessionId: string, method: string): Promise<void> =>
    session.post('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id: (id += 1), method }),
    });
  const urls = new Map<string, string>();
  const told = new Promise<void>((resolve, reject) => {
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
      const { method, params = {} } = JSON.parse(message) as Message;
      if (method === 'Debugger.scriptParsed') urls.set(params.scriptId ?? '', params.url ?? '');
      if (method !== 'Debugger.paused') return;
      tellLine(params.callFrames ?? [], urls);
      send(sessionId, 'Debugger.resume').then(resolve, reject);
    });
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (workerInfo.workerId !== String(worker.threadId)) return;
      send(sessionId, 'Debugger.enable')
        .then(() => send(sessionId, 'Debugger.pause'))
        .catch(reject);
    });
    worker.once('exit', () => resolve());
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await told;
  await session.post('NodeWorker.disable');
  session.disconnect();
}
