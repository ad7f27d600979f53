// What the page asks of a bot and of a past run alike: who it is, and the story of an order.
import type { FastifyInstance } from 'fastify';
import { bad } from './api-error.ts';
import type { Demand } from './login.ts';

/** Ids are opaque; none begins like a flag. */
const ORDER = /^[^\s\p{C}-][^\s\p{C}]{0,199}$/u;

export type ReadPorts = {
  /** The story of an order, by its reference or id. Rejects with why it cannot be told. */
  readonly why: (order: string) => Promise<string>;
  /** Of a run that is over: what can be looked at; undefined: it goes on. */
  readonly past?: () => Readonly<Record<string, unknown>>;
};

export function serveReads(app: FastifyInstance, demand: Demand, { why, past }: ReadPorts): void {
  app.get('/api/me', (request) => ({
    role: demand(request, 'view'),
    ...(past === undefined ? {} : { past: past() }),
  }));

  app.get<{ Querystring: { readonly order?: string } }>('/api/why', async (request) => {
    demand(request, 'view');
    const { order = '' } = request.query;
    if (!ORDER.test(order)) throw bad('expected ?order= with a reference or an id of an order');
    return { text: await why(order) };
  });
}
