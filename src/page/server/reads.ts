// Requests that a running bot and a past run answer alike: the role of the client, and the history of an
// order.
import type { FastifyInstance } from 'fastify';
import { bad } from './api-error.ts';
import type { Demand } from './login.ts';

/** The form of an id. Ids are opaque, but none begins like a flag. */
const ORDER = /^[^\s\p{C}-][^\s\p{C}]{0,199}$/u;

export type ReadPorts = {
  /** Returns the history of an order, by its reference or id. Rejects with the reason if there is none. */
  readonly why: (order: string) => Promise<string>;
  /** Returns what a past run offers to view. Undefined for a running bot. */
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
