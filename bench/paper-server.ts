// The paper exchange in its own process: the first question starts it, and later ones ask for the CPU time
// that it has used.
import type { PaperExchange, PaperExchangeOptions } from '../src/paper/server/server.ts';
import { startPaperExchange } from '../src/paper/server/server.ts';
import { serve } from './child.ts';

export type ServerQuestion = { readonly start: PaperExchangeOptions } | { readonly start?: undefined };
/** `cpuMs`: CPU time that the process has used so far. */
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
