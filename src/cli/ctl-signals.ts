// `oddsmaker ctl <config> signal`: named numbers for the strategies, from the command line, or line by line from whoever
// computes them.
import type { Interface } from 'node:readline';
import { EXIT, messageOf, readSignals } from '../domain/index.ts';
import type { ControlReply } from '../ops/index.ts';
import type { SignalMessage } from '../guard/index.ts';

type Values = SignalMessage['values'];

/** `fair=0.53 total=`: without a number a signal is withdrawn. What is wrong with it, as text. */
export function signalsIn(words: readonly string[], ttl: string | undefined): SignalMessage | string {
  const values: [string, number | null][] = [];
  for (const word of words) {
    const at = word.indexOf('=');
    const [name, told] = [word.slice(0, at), word.slice(at + 1)];
    if (at < 1) return `expected <name>=<number>, not "${word}"`;
    // an empty text would be 0
    const value = told === '' ? null : Number(told);
    if (value !== null && !Number.isFinite(value)) return `signal ${name}: "${told}" is not a number`;
    values.push([name, value]);
  }
  const told = readSignals(Object.fromEntries(values), ttl);
  if (typeof told === 'string') return told;
  if (told.slips.length > 0) return told.slips.join('; ');
  return { command: 'signal', values: told.update.values, ...(ttl === undefined ? {} : { ttl }) };
}

/** More characters of one message are too long for the bot, whatever they are encoded as. */
const MOST_CHARACTERS = 10_000;
/** Between two tries to reach a bot that does not answer. */
const RETRY_MS = 1000;

/**
 * Each line is told as soon as the bot has taken what was told before; of what comes faster the newest value of each name.
 * Nothing waits for a bot that does not answer: a price of then is none when it is back.
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
  let lost = 0;
  let wrong = 0;
  let number = 0;

  const send = async (values: Values): Promise<void> => {
    if (silentSince !== undefined && performance.now() - silentSince < RETRY_MS) {
      lost += 1;
      return;
    }
    const problem = await ask({ command: 'signal', values, ...(ttl === undefined ? {} : { ttl }) }).then(
      (reply) => (reply.ok ? undefined : `the bot refused: ${reply.error}`),
      messageOf,
    );
    if (problem === undefined) {
      if (lost > 0) say(`the bot takes signals again; lost meanwhile: ${lost}`);
      silentSince = undefined;
      lost = 0;
      return;
    }
    if (silentSince === undefined) say(`${problem} Signals are lost until it takes them.`);
    silentSince = performance.now();
    lost += 1;
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
    number += 1;
    const words = line.trim().split(/\s+/);
    if (words[0] === '') continue;
    const message = signalsIn(words, ttl);
    if (typeof message === 'string') {
      wrong += 1;
      say(`line ${number}: ${message}`);
      continue;
    }
    for (const [name, value] of Object.entries(message.values)) waiting.set(name, value);
    if (!isSending) {
      isSending = true;
      sending = pump();
    }
  }
  await sending;
  return silentSince !== undefined ? EXIT.gaveUp : wrong > 0 ? EXIT.usage : EXIT.done;
}

function* pieces(values: ReadonlyMap<string, number | null>): Iterable<Values> {
  let piece: [string, number | null][] = [];
  let characters = 0;
  for (const one of values) {
    characters += one[0].length + 30;
    if (characters > MOST_CHARACTERS && piece.length > 0) {
      yield Object.fromEntries(piece);
      piece = [];
      characters = one[0].length + 30;
    }
    piece.push(one);
  }
  yield Object.fromEntries(piece);
}
