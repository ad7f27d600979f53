// HTTP around the exchange. Bodies are read as text, whatever their content type. All answers come from the
// exchange; refusals by HTTP itself (body too large, broken request) use the same error envelope.
import { stackText } from '../../files/index.ts';
import type { Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Exchange, ExchangeReply } from '../api/exchange.ts';
import { FORM_TYPE, replyOf } from '../api/exchange.ts';
import { refuse } from '../../venue/index.ts';

const BODY_LIMIT = 1024 * 1024;
/**
 * Bytes of a too large body that are still read: a client that is cut off while writing would not receive the
 * answer.
 */
const MOST_DRAINED = 16 * BODY_LIMIT;
/** A request that takes longer to arrive is refused. */
const REQUEST_TIMEOUT_MS = 30_000;

export function createRestServer(exchange: Exchange): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    http: { requireHostHeader: false },
    clientErrorHandler: refuseRaw,
    frameworkErrors: (error, _request, reply) =>
      void send(reply, replyOf(refuse(error.statusCode ?? 400, 'Bad request'))),
  });
  // fastify parses the content type before it selects a parser, and refuses malformed ones
  app.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type'];
    if (type !== undefined && !type.startsWith(FORM_TYPE)) request.headers['content-type'] = 'text/plain';
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((_request, reply) => send(reply, replyOf(refuse(404, 'No such endpoint'))));
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 413) await drained(request.raw);
    if (status < 500) return send(reply, replyOf(refuse(status, MESSAGES[status] ?? error.message)));
    reportDefect(error);
    return send(reply, replyOf(refuse(500, 'Something went wrong')));
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    handler: (request, reply) => {
      try {
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
      } catch (error) {
        // the answer has been sent, so the defect is only reported here
        if (!reply.sent) throw error;
        reportDefect(error);
      }
      return reply;
    },
  });
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, payload } = replyOf(refuse(417, 'Expectation failed'));
    response.writeHead(417, headers).end(payload.text);
  });
  return app;
}

/** Reads and drops the rest of a body. Resolves at its end, or after `MOST_DRAINED` bytes. */
function drained(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = MOST_DRAINED;
    const count = ({ length }: Buffer | string): void => {
      left -= length;
      if (left < 0) resolve();
    };
    request.once('end', resolve).once('close', resolve).on('data', count);
    if (request.readableEnded || request.destroyed) resolve();
  });
}

/**
 * Answers what Node's parser refuses: it never becomes a request, so the envelope is written directly to the
 * socket.
 */
function refuseRaw(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const { headers, payload } = replyOf(refuse(status, STATUS_CODES[status] ?? 'Bad request'));
  const lines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(payload.text),
    Connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${payload.text}`);
}

const reportDefect = (error: unknown): void => void process.stderr.write(`paper exchange: ${stackText(error)}\n`);

const MESSAGES: Readonly<Record<number, string>> = { 413: 'The body is too large' };

const send = (reply: FastifyReply, { status, headers, payload }: ExchangeReply): FastifyReply =>
  reply.code(status).headers(headers).send(payload.text);
