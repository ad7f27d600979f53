// HTTP around the route table: tokens, windows at arrival, and the spec's one error envelope for everything that goes
// wrong, unknown routes and bad JSON included. An account's requests are counted before they are read, its answers before
// they leave.
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readText, recordOf } from '../wire/index.ts';
import type { Account } from './account.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import { routesOf } from './rest-routes.ts';
import type { Answer, Params, Route, RouteContext } from './route.ts';
import { tokenOf } from './sessions.ts';
import type { TrafficBook } from './traffic.ts';
import { accountRefusal, loginRoute } from './user-routes.ts';

type Visit = { readonly arrivedMs: number; account: Account | undefined };

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}

const BODY_LIMIT = 1024 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

export function createRestServer(
  context: RouteContext,
  traffic: TrafficBook,
  now: () => number,
): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true },
    frameworkErrors: (error, _request, reply) =>
      void sendRefusal(reply, refuse(error.statusCode ?? 400, 'Bad request')),
  });
  readBodies(app);
  answerErrors(app);
  app.decorateRequest('visit', null as unknown as Visit);
  app.addHook('onRequest', (request, _reply, done) => {
    request.visit = { arrivedMs: now(), account: undefined };
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const account = request.visit?.account;
    if (account !== undefined) traffic.answered(account, reply.statusCode);
    done(null, payload);
  });
  addLogin(app, context, traffic);
  for (const route of routesOf(context)) addRoute(app, context, traffic, route);
  return app;
}

function addLogin(app: FastifyInstance, context: RouteContext, traffic: TrafficBook): void {
  app.post(context.venue.profile.loginPath, (request, reply) => {
    const { answer, account } = loginRoute(context, paramsOf(request));
    request.visit.account = account;
    if (account !== undefined) traffic.of(account).requests.other++;
    return send(reply, answer);
  });
}

function addRoute(
  app: FastifyInstance,
  { venue, sessions }: RouteContext,
  traffic: TrafficBook,
  route: Route,
): void {
  const bucket =
    route.kind === 'place' || route.kind === 'edit'
      ? 'place'
      : route.kind === 'cancel'
        ? 'cancel'
        : undefined;
  /** From here on the request is the account's: it counts, whatever comes of it. */
  const admit = (request: FastifyRequest, account: Account): Refusal | undefined => {
    request.visit.account = account;
    traffic.of(account).requests[route.kind]++;
    const limited = bucket === undefined ? undefined : venue.arrive(account, bucket, request.visit.arrivedMs);
    return accountRefusal(account) ?? limited;
  };
  app.route({
    method: [...route.methods],
    url: route.paths[0] ?? '/',
    ...hooksOf(admit, sessions),
    handler: handlerOf(route),
  });
  for (const url of route.paths.slice(1)) {
    app.route({ method: [...route.methods], url, ...hooksOf(admit, sessions), handler: handlerOf(route) });
  }
}

type Admit = (request: FastifyRequest, account: Account) => Refusal | undefined;

const hooksOf = (admit: Admit, sessions: RouteContext['sessions']) => ({
  onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const account = sessions.find(tokenOf(request));
    const refusal = account === undefined ? undefined : admit(request, account);
    if (refusal === undefined) done();
    else void sendRefusal(reply, refusal);
  },
  // clients in the wild also put the token into the body
  preValidation: (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.visit.account !== undefined) {
      done();
      return;
    }
    const account = sessions.find(readText(recordOf(request.body)?.['token']));
    const refusal = account === undefined ? refuse(401, 'InvalidCredentials') : admit(request, account);
    if (refusal === undefined) done();
    else void sendRefusal(reply, refusal);
  },
});

const handlerOf =
  (route: Route) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { account, arrivedMs } = request.visit;
    if (account === undefined) return sendRefusal(reply, refuse(401, 'InvalidCredentials'));
    return send(
      reply,
      route.handle({ account, params: paramsOf(request), body: request.body, nowMs: arrivedMs }),
    );
  };

const paramsOf = (request: FastifyRequest): Params => ({
  ...recordOf(request.query),
  ...recordOf(request.body),
});

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if ('ok' in answer) return sendRefusal(reply, answer);
  if ('json' in answer) return reply.type(JSON_TYPE).send(answer.json);
  return reply.type(JSON_TYPE).send(JSON.stringify('data' in answer ? { data: answer.data } : answer.body));
}

function sendRefusal(reply: FastifyReply, { status, message, details }: Refusal): FastifyReply {
  if (details !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(details.retryAfterSeconds))));
  const error = { message, code: status, ...(details === undefined ? {} : { details }) };
  return reply.code(status).type(JSON_TYPE).send(JSON.stringify({ error }));
}

/** JSON whatever the content type says; an empty body is an empty object; logins may come as a form. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(body as string)));
    },
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    const text = body as string;
    try {
      done(null, text.trim() === '' ? {} : JSON.parse(text));
    } catch {
      done(Object.assign(new Error('The body is not valid JSON'), { statusCode: 400 }));
    }
  });
}

function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) =>
    sendRefusal(
      reply,
      refuse(404, `No such endpoint: ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}`),
    ),
  );
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 413) return sendRefusal(reply, refuse(413, 'The body is too large'));
    if (status >= 400 && status < 500) return sendRefusal(reply, refuse(status, error.message));
    process.stderr.write(`paper exchange: ${error.stack ?? error.message}\n`);
    return sendRefusal(reply, refuse(500, 'Something went wrong'));
  });
}
