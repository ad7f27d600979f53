// The paper exchange in a process of its own: started by the first question, then asked for the time its process has used.
import type { PaperExchange, PaperExchangeOptions } from '../src/paper/server/server.ts';
import { startPaperExchange } from '../src/paper/server/server.ts';
import { serve } from './child.ts';

export type ServerQuestion = { readonly start: PaperExchangeOptions } | { readonly start?: undefined };
/** `cpuMs`: what the process has worked until now. */
export type ServerAnswer = {
  readonly url: string;
  readonly games: readonly string[];
  readonly cpuMs: number;
};

export type PaperAnswer = ServerAnswer & {
  readonly adminUrl: string;
  readonly ready: PaperExchange['games'];
};

export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

if (process.argv[1] === import.meta.filename) {
  let started: Omit<PaperAnswer, 'cpuMs'> = { url: '', adminUrl: '', games: [], ready: [] };
  serve(async ({ start }: ServerQuestion): Promise<PaperAnswer> => {
    if (start !== undefined) {
      const { restUrl, adminUrl, games } = await startPaperExchange(start);
      started = { url: restUrl, adminUrl, games: games.map(({ id }) => id), ready: games };
    }
    return { ...started, cpuMs: cpuMs() };
  });
}
