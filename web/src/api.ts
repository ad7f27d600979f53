// What the page asks for beside its stream. Refusals are told as the bot words them.
import { signal } from '@preact/signals';
import type { Past } from './wire.ts';

export type Notice = { readonly text: string; readonly isBad: boolean };
/** What came of the last command. */
export const notice = signal<Notice | undefined>(undefined);

type Answer = { readonly error?: { readonly message: string } };
/** What a reload would do, or did. */
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

/** `nobody`: a login is needed. Undefined: there is no answer. */
export async function whoAmI(): Promise<{ readonly past?: Past } | 'nobody' | undefined> {
  try {
    const response = await fetch('/api/me');
    return response.status === 401 ? 'nobody' : ((await response.json()) as { readonly past?: Past });
  } catch {
    return undefined;
  }
}

/** Undefined: it is right; else why not. */
export async function login(token: string): Promise<string | undefined> {
  const { error } = await post('/api/login', { token });
  return error?.message;
}

export async function command(message: Readonly<Record<string, unknown>>, done: string): Promise<boolean> {
  const { error } = await post('/api/commands', message);
  notice.value = error === undefined ? { text: done, isBad: false } : { text: error.message, isBad: true };
  return error === undefined;
}

/** Why it would be refused, as text. */
export async function reload(isDry: boolean): Promise<Reload | string> {
  const answer = (await post('/api/commands', { command: 'reload', dry: isDry })) as Answer & Partial<Reload>;
  const { error, changed = [], later = [], replaced = [] } = answer;
  return error === undefined ? { changed, later, replaced } : error.message;
}

/** The story of an order, as `oddsmaker why` tells it; or why it cannot be told. */
export async function why(order: string): Promise<string> {
  try {
    const response = await fetch(`/api/why?order=${encodeURIComponent(order)}`);
    const { text, error } = (await response.json()) as Answer & { readonly text?: string };
    return text ?? error?.message ?? 'the bot told nothing';
  } catch {
    return 'the bot does not answer';
  }
}
