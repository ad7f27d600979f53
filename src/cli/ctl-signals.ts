// `oddsmaker ctl <config> signal`: sends named numbers to the strategies, from the command line or line by
// line from standard input.
import type { Interface } from 'node:readline';
import { EXIT, messageOf, readSignals } from '../domain/index.ts';
import type { ControlReply } from '../ops/index.ts';
import type { SignalMessage } from '../guard/index.ts';

type Values = SignalMessage['values'];

/**
 * The signal message for words such as `fair=0.53` and `total=`; a name without a number withdraws its
 * signal. A string says what is wrong.
 */
export function signalsIn(words: readonly string[], ttl: string | undefined): SignalMessage | string {
  const values: [string, number | null][] = [];
  for (const word of words) {
    const index = word.indexOf('=');
    const [name, text] = [word.slice(0, index), word.slice(index + 1)];
    if (index < 1) return `expected <name>=<number>, not "${word}"`;
    // `Number('')` is 0
    const value = text === '' ? null : Number(text);
    if (value !== null && !Number.isFinite(value)) return `signal ${name}: "${text}" is not a number`;
    values.push([name, value]);
  }
  const signals = readSignals(Object.fromEntries(values), ttl);
  if (typeof signals === 'string') return signals;
  if (signals.slips.length > 0) return signals.slips.join('; ');
  return { command: 'signal', values: signals.update.values, ...(ttl === undefined ? {} : { ttl }) };
}

/** Most characters of one message: the bot refuses longer ones in any encoding. */
const MAX_CHARACTERS = 10_000;
/** Time between two attempts to reach a bot that does not answer. */
const RETRY_MS = 1000;

/**
 * Sends each line as soon as the bot has answered the message before. Lines that come faster are merged: the
 * newest value of each name is sent. Values are dropped while the bot does not answer, because an old price
 * is worthless when the bot is back. Returns the exit code.
 */
export async function streamSignals(
  lines: Interface,
  ttl: string | undefined,
  ask: (message: SignalMessage) => Promise<ControlReply>,
  say: (text: string) => void,
): Promise<number> {
  let waiting = new Map<string, number | null>();
  let sending = Promise.resolve();
  let isSending = false;
  let silentSince: number | undefined;
  let lostMessages = 0;
  let wrongLines = 0;
  let lineNumber = 0;

  const send = async (values: Values): Promise<void> => {
    if (silentSince !== undefined && performance.now() - silentSince < RETRY_MS) {
      lostMessages += 1;
      return;
    }
    const problem = await ask({ command: 'signal', values, ...(ttl === undefined ? {} : { ttl }) }).then(
      (reply) => (reply.ok ? undefined : `the bot refused: ${reply.error}`),
      messageOf,
    );
    if (problem === undefined) {
      if (lostMessages > 0) say(`the bot takes signals again; lost meanwhile: ${lostMessages}`);
      silentSince = undefined;
      lostMessages = 0;
      return;
    }
    if (silentSince === undefined) say(`${problem} Signals are lost until it takes them.`);
    silentSince = performance.now();
    lostMessages += 1;
  };
  const pump = async (): Promise<void> => {
    while (waiting.size > 0) {
      const values = waiting;
      waiting = new Map();
      for (const piece of pieces(values)) await send(piece);
    }
    isSending = false;
  };

  for await (const line of lines) {
    lineNumber += 1;
    const words = line.trim().split(/\s+/);
    if (words[0] === '') continue;
    const message = signalsIn(words, ttl);
    if (typeof message === 'string') {
      wrongLines += 1;
      say(`line ${lineNumber}: ${message}`);
      continue;
    }
    for (const [name, value] of Object.entries(message.values)) waiting.set(name, value);
    if (!isSending) {
      isSending = true;
      sending = pump();
    }
  }
  await sending;
  return silentSince !== undefined ? EXIT.gaveUp : wrongLines > 0 ? EXIT.usage : EXIT.done;
}

function* pieces(values: ReadonlyMap<string, number | null>): Iterable<Values> {
  let piece: [string, number | null][] = [];
  let characters = 0;
  for (const entry of values) {
    characters += entry[0].length + 30;
    if (characters > MAX_CHARACTERS && piece.length > 0) {
      yield Object.fromEntries(piece);
      piece = [];
      characters = entry[0].length + 30;
    }
    piece.push(entry);
  }
  yield Object.fromEntries(piece);
}
