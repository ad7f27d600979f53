// Logins of a page's server, the same for a running bot and a past run.
import type { FastifyRequest } from 'fastify';
import type { PageServerParts } from './page-server.ts';
import type { Role } from './access.ts';
import { askingOf } from './access.ts';
import { ApiError, bad, tooMany } from './api-error.ts';
import { WRONG_TOKENS_A_SECOND } from './wrong-tokens.ts';

/** Returns the role of a request, which must be at least `least`. @throws ApiError 401, 403, 429 */
export type Demand = (request: FastifyRequest, least: Role) => Role;

const COOKIE_DAYS = 30;

/**
 * Adds `/api/login` and `/api/logout`. The name of the cookie contains the port, because a browser sends a
 * cookie to all ports of its host.
 */
export function serveLogin({ app, access, port }: PageServerParts): Demand {
  const cookie = (): string => `oddsmaker-${port()}`;

  const demand: Demand = (request, least) => {
    const role = known(access.roleOf(askingOf(request), cookie()));
    if (request.method !== 'GET' && !access.isOwnOrigin(request.headers))
      throw new ApiError(
        403,
        'FOREIGN_ORIGIN',
        'the request comes from a page of another origin: only the bot’s own page may send it',
      );
    if (least === 'control' && role !== 'control')
      throw new ApiError(403, 'VIEW_ONLY', 'this token allows views but no commands: use ops.token');
    return role;
  };

  // a form of another page could post any other type
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && request.url.startsWith('/api/') && !isJson(request))
      throw new ApiError(415, 'NOT_JSON', 'expected content-type application/json');
  });

  app.post('/api/login', (request, reply) => {
    if (!access.isOwnOrigin(request.headers) && request.headers.cookie === undefined)
      throw new ApiError(
        403,
        'FOREIGN_ORIGIN',
        'the request comes from a page of another origin: only the bot’s own page may send it',
      );
    const { token } = objectIn(request.body);
    const { from } = askingOf(request);
    const role = known(typeof token === 'string' ? access.roleOfToken(token, from) : undefined);
    void reply.header(
      'set-cookie',
      `${cookie()}=${access.ticketOf(role)}; HttpOnly; SameSite=Strict; Path=/api; Max-Age=${COOKIE_DAYS * 86_400}`,
    );
    return { ok: true, role };
  });

  app.post('/api/logout', (_request, reply) => {
    void reply.header('set-cookie', `${cookie()}=; HttpOnly; SameSite=Strict; Path=/api; Max-Age=0`);
    return { ok: true };
  });
  return demand;
}

const isJson = ({ headers }: FastifyRequest): boolean => /^application\/json\b/i.test(headers['content-type'] ?? '');

export function objectIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw bad('expected a JSON object');
  return body as Readonly<Record<string, unknown>>;
}

/** @throws ApiError 401, 429 */
function known(role: Role | 'too-many' | undefined): Role {
  if (role === 'too-many') throw tooMany(`${WRONG_TOKENS_A_SECOND} wrong tokens`);
  if (role === undefined)
    throw new ApiError(401, 'NO_TOKEN', 'expected "Authorization: Bearer <ops.token>", or a login');
  return role;
}
