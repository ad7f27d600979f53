// The venue's own story of an account, on a port of its own: what a client says of itself can be held against it.
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { dollarsOfMicros } from '../domain/index.ts';
import type { Account } from './account.ts';
import { orderJson } from './order-json.ts';
import type { TrafficBook } from './traffic.ts';
import type { Venue } from './venue.ts';

export function createAdminServer(venue: Venue, traffic: TrafficBook): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.get('/health', () => ({ status: 'ok', games: venue.games.size }));
  app.get<{ Params: { username: string } }>('/accounts/:username', (request, reply) => {
    const account = venue.accounts.get(request.params.username);
    return account === undefined
      ? reply.code(404).send({ error: { message: 'No such account', code: 404 } })
      : accountStory(account, traffic);
  });
  return app;
}

function accountStory(account: Account, traffic: TrafficBook) {
  const { requests, http } = traffic.of(account);
  return {
    username: account.username,
    id: account.id,
    playerMode: account.mode,
    balances: {
      cash: dollarsOfMicros(account.balances.cash),
      coins: dollarsOfMicros(account.balances.coins),
    },
    fills: account.fills,
    riskFilled: dollarsOfMicros(account.riskFilled),
    open: [...account.open.values()].map(orderJson),
    openOrders: account.open.size,
    requests,
    http,
    maxInWindow: { place: account.windows.place.most, cancel: account.windows.cancel.most },
  };
}
