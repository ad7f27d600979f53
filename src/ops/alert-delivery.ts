// Delivers alerts: to a webhook in the body that its service reads, or to a command as JSON on its standard
// input. Each target gets one message at a time, in order. A failed delivery is tried again, and the bot
// never waits for it.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../domain/index.ts';
import { alertEnvironment } from './alert-environment.ts';
import type { AlertLevel } from '../domain/index.ts';
import type { AlertMessage, AlertTarget } from './alerts.ts';
import type { Log } from './log.ts';

export type AlertSettings = {
  readonly level: AlertLevel;
  readonly repeat: number;
} & (
  | { readonly webhook: string; readonly body: 'json' | 'slack' | 'discord' | 'telegram' | 'ntfy' }
  /** `env`: names of the environment variables that it gets in addition to those every program needs. */
  | { readonly command: string; readonly env?: readonly string[] }
);

const TIMEOUT_MS = 10_000;
/** Waits between tries, ms. After the last try the message is given up. */
const WAITS_MS = [1000, 5000, 25_000];
const MOST_WAITING = 100;

/** One target of `alerts:`. */
export class AlertDelivery implements AlertTarget {
  readonly level: AlertLevel;
  readonly repeatMs: number;
  readonly #settings: AlertSettings;
  readonly #log: Log;
  readonly #queue: AlertMessage[] = [];
  readonly #ending = new AbortController();
  #sending: Promise<void> | undefined;
  #reportedFailing = false;

  constructor(settings: AlertSettings, log: Log) {
    this.level = settings.level;
    this.repeatMs = settings.repeat;
    this.#settings = settings;
    this.#log = log;
  }

  send(message: AlertMessage): void {
    this.#queue.push(message);
    if (this.#queue.length > MOST_WAITING) this.#fail(this.#queue.shift(), 'too many wait');
    this.#sending ??= this.#drain().finally(() => (this.#sending = undefined));
  }

  /** Gives waiting messages at most `withinMs` to be sent. */
  async close(withinMs: number): Promise<void> {
    const late = setTimeout(() => this.#ending.abort(), withinMs);
    await this.#sending;
    clearTimeout(late);
  }

  async #drain(): Promise<void> {
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift()) {
      const problem = await this.#deliver(message);
      if (problem !== undefined) this.#fail(message, problem);
      else if (this.#reportedFailing) this.#log.info('alerts arrive again', this.#where);
      this.#reportedFailing = problem !== undefined;
    }
  }

  async #deliver(message: AlertMessage): Promise<string | undefined> {
    let problem: string | undefined;
    for (const wait of [0, ...WAITS_MS]) {
      if (wait > 0) await sleep(wait, undefined, this.#ending).catch(() => undefined);
      if (this.#ending.signal.aborted) return problem ?? 'the process ended';
      problem = await deliverOnce(this.#settings, message, this.#ending.signal);
      if (problem === undefined) return undefined;
    }
    return problem;
  }

  #fail(message: AlertMessage | undefined, problem: string): void {
    this.#log.warn('an alert did not arrive', {
      code: 'ALERT_LOST',
      lost: message?.alert,
      state: message?.state,
      problem,
      ...this.#where,
    });
  }

  get #where(): { readonly to: string } {
    return { to: shownTarget(this.#settings) };
  }
}

/** Name of a target without its secrets. */
export const shownTarget = (settings: AlertSettings): string =>
  'command' in settings ? settings.command : `${new URL(settings.webhook).origin} (${settings.body})`;

/** Sends a message once. Undefined: it arrived; otherwise what went wrong. Never rejects. */
export async function deliverOnce(
  settings: AlertSettings,
  message: AlertMessage,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    return 'command' in settings
      ? await run(settings, message, within)
      : await post(settings.webhook, requestOf(settings, message), within);
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
  }
}

type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

async function post(url: string, request: Post, signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(url, { method: 'POST', ...request, signal, redirect: 'error' });
  const answerText = (await answer.text()).slice(0, 200);
  return answer.ok ? undefined : `it answered ${answer.status}: ${answerText}`;
}

type CommandSettings = Extract<AlertSettings, { readonly command: string }>;

function run(
  { command, env = [] }: CommandSettings,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [], {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: alertEnvironment(env, process.env).given,
      signal,
      killSignal: 'SIGKILL',
    });
    let errorText = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errorText = (errorText + text).slice(-200)));
    child.on('error', reject);
    child.on('close', (code, killed) =>
      resolve(code === 0 ? undefined : `it ended with ${String(code ?? killed)}: ${errorText.trim()}`),
    );
    // a command that reads nothing may end before the message is written
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(message)}\n`);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const SIGNS = { info: 'ℹ️', warn: '⚠️', error: '🛑' } as const;
const PRIORITIES = { info: '2', warn: '4', error: '5' } as const;

/** Headers and body for the service behind a webhook. */
export function requestOf(
  { webhook, body }: Extract<AlertSettings, { readonly webhook: string }>,
  message: AlertMessage,
): Post {
  const { alert, level, state, account, fields } = message;
  const isOver = state === 'resolved';
  const title = `${alert} ${isOver ? 'is over' : ''}`.trim();
  const details = Object.entries(fields).map(([name, value]) => `${name}: ${shown(value)}`);
  const line = [`${isOver ? '✅' : SIGNS[level]} ${title} (${account})`, message.text, ...details].join('\n');
  switch (body) {
    case 'json':
      return { headers: JSON_TYPE, body: JSON.stringify(message) };
    case 'slack':
      return { headers: JSON_TYPE, body: JSON.stringify({ text: escaped(line) }) };
    case 'discord':
      return {
        headers: JSON_TYPE,
        body: JSON.stringify({ content: line.slice(0, 2000), allowed_mentions: { parse: [] } }),
      };
    case 'telegram':
      // the service reads the chat from the address or from the body
      return {
        headers: JSON_TYPE,
        body: JSON.stringify({
          chat_id: new URL(webhook).searchParams.get('chat_id') ?? undefined,
          text: line.slice(0, 4096),
        }),
      };
    case 'ntfy':
      return {
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: `${title} (${account.replaceAll(/[^\x20-\x7e]/g, '?')})`,
          priority: isOver ? '3' : PRIORITIES[level],
          tags: isOver ? 'white_check_mark' : level === 'error' ? 'rotating_light' : 'warning',
        },
        body: [message.text, ...details].join('\n'),
      };
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Escapes the characters that Slack reads as markup. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
