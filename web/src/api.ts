// The requests of the page apart from its stream. A refusal is shown in the words of the bot.
import { signal } from '@preact/signals';
import type { Past } from './wire.ts';

export type Notice = { readonly text: string; readonly isBad: boolean };
/** The outcome of the last command. */
export const notice = signal<Notice | undefined>(undefined);

type Answer = { readonly error?: { readonly message: string } };
/** What a reload did, or would do. */
export type Reload = {
  readonly changed: readonly string[];
  readonly later: readonly string[];
  readonly replaced: readonly string[];
};

async function post(path: string, body: unknown): Promise<Answer> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  } catch {
    return { error: { message: 'the bot does not answer' } };
  }
}

/** Reads who the user is. `locked`: a login is needed. Undefined when the bot does not answer. */
export async function whoAmI(): Promise<{ readonly past?: Past } | 'locked' | undefined> {
  try {
    const response = await fetch('/api/me');
    return response.status === 401 ? 'locked' : ((await response.json()) as { readonly past?: Past });
  } catch {
    return undefined;
  }
}

/** Logs in. Returns why the token was refused; undefined when it was accepted. */
export async function login(token: string): Promise<string | undefined> {
  const { error } = await post('/api/login', { token });
  return error?.message;
}

export async function command(message: Readonly<Record<string, unknown>>, done: string): Promise<boolean> {
  const { error } = await post('/api/commands', message);
  notice.value = error === undefined ? { text: done, isBad: false } : { text: error.message, isBad: true };
  return error === undefined;
}

/** Reloads the configuration, or only checks it. Returns a text when it is refused. */
export async function reload(isDry: boolean): Promise<Reload | string> {
  const answer = (await post('/api/commands', { command: 'reload', dry: isDry })) as Answer & Partial<Reload>;
  const { error, changed = [], later = [], replaced = [] } = answer;
  return error === undefined ? { changed, later, replaced } : error.message;
}

/** The history of an order, as `oddsmaker why` prints it, or the reason why there is none. */
export async function why(order: string): Promise<string> {
  try {
    const response = await fetch(`/api/why?order=${encodeURIComponent(order)}`);
    const { text, error } = (await response.json()) as Answer & { readonly text?: string };
    return text ?? error?.message ?? 'the bot sent no text';
  } catch {
    return 'the bot does not answer';
  }
}
