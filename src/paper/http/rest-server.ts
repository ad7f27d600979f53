// HTTP around the exchange: bodies as text, whatever their type says; every answer is the exchange's own, and what HTTP
// itself refuses (a body too large, broken requests) comes in the same error envelope.
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Exchange, ExchangeReply } from '../api/exchange.ts';
import { replyOf } from '../api/exchange.ts';
import { refuse } from '../venue/refusal.ts';

const BODY_LIMIT = 1024 * 1024;
/** A request that takes longer to arrive is nobody's. */
const REQUEST_TIMEOUT_MS = 30_000;

export function createRestServer(exchange: Exchange): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) =>
      void send(reply, replyOf(refuse(error.statusCode ?? 400, 'Bad request'))),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((_request, reply) => send(reply, replyOf(refuse(404, 'No such endpoint'))));
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return send(reply, replyOf(refuse(status, MESSAGES[status] ?? error.message)));
    process.stderr.write(`paper exchange: ${error.stack ?? error.message}\n`);
    return send(reply, replyOf(refuse(500, 'Something went wrong')));
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    handler: (request, reply) => {
      exchange.request(
        {
          method: request.method,
          path: request.url.split('?', 1)[0] ?? '',
          headers: request.headers,
          query: request.query,
          body: typeof request.body === 'string' ? request.body : '',
        },
        {
          reply: (answer) => void send(reply, answer),
          reset: () => {
            request.raw.socket.resetAndDestroy();
          },
        },
      );
      return reply;
    },
  });
  return app;
}

const MESSAGES: Readonly<Record<number, string>> = { 413: 'The body is too large' };

const send = (reply: FastifyReply, { status, headers, body }: ExchangeReply): FastifyReply =>
  reply.code(status).headers(headers).send(body);
