// Serves the operator's routes over HTTP, on their own port.
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { answerAdmin } from '../api/admin-routes.ts';
import type { Exchange } from '../api/exchange.ts';

export function createAdminServer(exchange: Exchange): FastifyInstance {
  const app = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: { message: error.message, code: error.statusCode ?? 500 } }),
  );
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/*',
    handler: (request, reply) => {
      const path = request.url.split('?', 1)[0] ?? '';
      const answer = answerAdmin(exchange, { method: request.method, path, body: request.body });
      return answer.ok
        ? reply.send(answer.body)
        : reply.code(answer.status).send({ error: { message: answer.message, code: answer.status } });
    },
  });
  return app;
}
