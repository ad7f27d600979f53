// Helpers of spec-client.mjs: requests, an account that paces its requests, a socket that stores its events,
// and the report. It uses only `fetch` and socket.io-client and no code of this project, because it must see
// the server as a third-party client does.
import { isDeepStrictEqual } from 'node:util';
import { io } from 'socket.io-client';

export const [restUrl, socketUrl, adminUrl] = process.argv.slice(2);

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// --- the report --------------------------------------------------------------------------------------------

let problems = [];
const counts = { steps: 0, failed: 0, skipped: 0 };

class Skip extends Error {}

/** Runs one step and prints its line of the report. A step that throws has failed; later steps still run. */
export async function step(what, run) {
  problems = [];
  let seen;
  try {
    seen = await run();
  } catch (error) {
    if (error instanceof Skip) {
      counts.skipped += 1;
      console.log(`skip ${what}: ${error.message}`);
      return;
    }
    problems.push(error.cause ? `${error.message} (${error.cause.message})` : error.message);
  }
  counts.steps += 1;
  if (problems.length === 0) console.log(`ok   ${what}${seen === undefined ? '' : `: ${seen}`}`);
  else {
    counts.failed += 1;
    console.log(`FAIL ${what}: ${problems.join('; ')}`);
  }
}

export function finish() {
  const skipped = counts.skipped ? ` (${counts.skipped} more skipped)` : '';
  console.log(`${counts.steps} steps, ${counts.failed} failed${skipped}`);
  process.exit(counts.failed ? 1 : 0);
}

const show = (value) => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** A matcher: a predicate with a name that can be printed. */
const matcher = (name, test) => Object.assign(test, { label: name });
const all = (list, field) => list?.map?.((o) => o[field]);
export const is = {
  number: matcher('a number', (v) => typeof v === 'number' && Number.isFinite(v)),
  positive: matcher('a positive number', (v) => typeof v === 'number' && v > 0 && Number.isFinite(v)),
  boolean: matcher('a boolean', (v) => typeof v === 'boolean'),
  text: matcher('a text', (v) => typeof v === 'string' && v !== ''),
  array: matcher('an array', (v) => Array.isArray(v)),
  absent: matcher('nothing', (v) => v === undefined),
  present: matcher('present', (v) => v !== undefined),
  timestamp: matcher(
    'an ISO 8601 timestamp in UTC',
    (v) => typeof v === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(v),
  ),
  orNull: (m) => matcher(`${m.label} or null`, (v) => v === null || m(v)),
  oneOf: (...values) => matcher(`one of ${values.join(', ')}`, (v) => values.includes(v)),
  about: (n, by = 1e-6) => matcher(`about ${n}`, (v) => is.number(v) && Math.abs(v - n) <= by),
  each: (m, names) => Object.fromEntries(names.split(' ').map((name) => [name, m])),
  ids: (...wanted) => matcher(`the ids ${wanted.join(', ')}`, (v) => isDeepStrictEqual(all(v, 'id'), wanted)),
};

/** Records a difference and continues, so that one step can name every wrong field. */
export function check(what, got, wanted) {
  const good =
    typeof wanted === 'function'
      ? wanted(got)
      : wanted instanceof RegExp
        ? typeof got === 'string' && wanted.test(got)
        : isDeepStrictEqual(got, wanted);
  if (good) return true;
  const expected = typeof wanted === 'function' ? wanted.label : wanted instanceof RegExp ? wanted : show(wanted);
  problems.push(`${what}: expected ${expected}, got ${show(got)}`);
  return false;
}

/** Checks the named fields of one object; further fields are allowed. */
export function shape(what, value, fields) {
  if (!check(what, value !== null && typeof value === 'object', true)) return;
  for (const [name, wanted] of Object.entries(fields)) check(`${what}.${name}`, value[name], wanted);
}

/** Ends the step when the check fails, because the rest of the step depends on it. */
export function must(what, got, wanted) {
  if (!check(what, got, wanted)) throw new Error('the rest of this step could not run');
}

/** Expects status 200 and returns the `data` of the reply. */
export function answered(reply) {
  must(`${reply.asked} answers ${show(reply.body)}: status`, reply.status, 200);
  return reply.body.data ?? {};
}

/** Expects the reply to be this refusal in the error envelope of the spec. */
export function refused(reply, status, message, detailsCode) {
  const what = `${reply.asked} answers`;
  check(`${what} status (${show(reply.body)})`, reply.status, status);
  check(`${what} error.code`, reply.body?.error?.code, typeof status === 'number' ? status : reply.status);
  check(`${what} error.message`, reply.body?.error?.message, message ?? is.text);
  check(`${what} error.details.code`, reply.body?.error?.details?.code, detailsCode);
  return `${reply.status} ${reply.body?.error?.message}`;
}

/** Expects a 423 or 429 with `details` and a Retry-After header that agrees with them. */
export function throttled(reply, status, code, kind) {
  const seen = refused(reply, status, is.text, code);
  const details = reply.body?.error?.details ?? {};
  shape('details', details, { retryable: is.boolean, retryAfterSeconds: is.positive });
  if (kind) check('details.kind', details.kind, kind);
  const header = Number(reply.headers.get('retry-after') ?? NaN);
  const wait = details.retryAfterSeconds;
  if (!(header >= wait - 0.001 && header < wait + 1.001))
    check('the Retry-After header', reply.headers.get('retry-after'), String(Math.ceil(wait)));
  return `${seen} (${JSON.stringify(details)})`;
}

/** Waits as long as the reply says, by default one second. A timer may fire a little early. */
export const waitOut = (reply) => sleep(1000 * (reply.body?.error?.details?.retryAfterSeconds ?? 1) + 5);

/** Polls until `ask` returns a true value. */
export async function eventually(what, ask, ms = 3000) {
  for (const end = Date.now() + ms; ; await sleep(25)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what}: expected within ${ms} ms, did not happen`);
  }
}

// --- REST --------------------------------------------------------------------------------------------------

/**
 * Sends a request. A text `body` is sent unchanged, any other as JSON. A header that is undefined is omitted.
 */
export async function request(method, path, options = {}) {
  const { token, body, query, base = restUrl, timeout = 10_000 } = options;
  const search = query ? `?${new URLSearchParams(query)}` : '';
  const asked = `${method} ${path}${search}${body === undefined ? '' : ` ${show(body)}`}`;
  const headers = {
    'X-API-Version': 'public',
    Authorization: token,
    'Content-Type': body === undefined ? undefined : 'application/json',
    ...options.headers,
  };
  let response, raw;
  try {
    response = await fetch(`${base}${path}${search}`, {
      method,
      signal: AbortSignal.timeout(timeout),
      headers: Object.entries(headers).filter(([, value]) => value !== undefined),
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    raw = await response.text();
  } catch (error) {
    throw new Error(`${asked}: no answer`, { cause: error.cause ?? error });
  }
  let parsed;
  try {
    parsed = JSON.parse(raw);
  } catch {
    parsed = raw;
  }
  return { asked, status: response.status, headers: response.headers, body: parsed };
}

/** Calls the admin port of the paper exchange. The step is skipped when the port lacks this route. */
export async function admin(method, path, body) {
  const reply = await request(method, path, { body, base: adminUrl });
  if (reply.status === 404) throw new Skip(`${method} ${adminUrl}${path} answers 404`);
  if (reply.status >= 400)
    throw new Error(`the admin port: ${reply.asked}: expected 2xx, got ${reply.status} ${show(reply.body)}`);
  return reply.body;
}

// --- sockets -----------------------------------------------------------------------------------------------

class Feed {
  events = [];
  #waiting = new Set();

  constructor(socket) {
    this.socket = socket;
    socket.onAny((name, raw) => {
      let data;
      try {
        data = JSON.parse(raw);
      } catch {
        data = undefined;
      }
      this.events.push({ name, raw, data, at: Date.now() });
      for (const again of this.#waiting) again();
    });
  }

  /** The number of events so far, for `until(…, { after })`. */
  get mark() {
    return this.events.length;
  }

  all(predicate, after = 0) {
    return this.events.slice(after).filter((event) => event.data && predicate(event.data, event.name));
  }

  /** The data of the first event that fits, among earlier and later events. */
  until(what, predicate, { after = 0, ms = 3000, count = 1 } = {}) {
    return new Promise((resolve, reject) => {
      const tryResolve = () => {
        const found = this.all(predicate, after);
        if (found.length < count) return;
        done();
        resolve(found[count - 1].data);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`event ${what}: expected within ${ms} ms, got none`));
      }, ms);
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(tryResolve);
      };
      this.#waiting.add(tryResolve);
      tryResolve();
    });
  }

  close() {
    this.socket.disconnect();
  }
}

/** Resolves to a connected feed. A refused handshake rejects with the server's message. */
export function listen(namespace, options = {}) {
  const { token, via = 'header', transports = ['websocket'], headers } = options;
  const all = {
    'X-API-Version': 'public',
    Authorization: via === 'header' ? token : undefined,
    ...headers,
  };
  const socket = io(`${socketUrl}${namespace}`, {
    transports,
    forceNew: true,
    reconnection: false,
    extraHeaders: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    query: token && via === 'query' ? { token } : {},
  });
  const feed = new Feed(socket);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.disconnect();
      reject(new Error(`handshake on ${namespace}: no answer`));
    }, 5000);
    socket.on('connect', () => {
      clearTimeout(timer);
      resolve(feed);
    });
    socket.on('connect_error', (error) => {
      clearTimeout(timer);
      socket.disconnect();
      reject(error);
    });
  });
}

/** The message with which a handshake was refused. */
export async function refusal(namespace, options) {
  let feed;
  try {
    feed = await listen(namespace, options);
  } catch (error) {
    return error.message;
  }
  feed.close();
  return 'connected';
}

// --- an account --------------------------------------------------------------------------------------------

const WINDOWS = { place: { requests: 25, ms: 5000 }, cancel: { requests: 30, ms: 2000 } };

export class Client {
  #sent = { place: [], cancel: [] };

  constructor(name, password = 'secret') {
    this.name = name;
    this.password = password;
  }

  async login() {
    const reply = await request('POST', '/user/login', {
      body: { username: this.name, password: this.password },
    });
    must(`log in of ${this.name}`, reply.status, 200);
    this.token = reply.body.data.user.auth;
    return reply.body.data.user;
  }

  async listen() {
    this.orders = await listen(`/v2/user/${this.name}`, { token: this.token });
    this.prices = await listen('/priceUpdates', { token: this.token });
  }

  get = (path, query) => request('GET', path, { token: this.token, query });
  post = (path, body = {}) => request('POST', path, { token: this.token, body });

  /** The time in ms until `wanted` more requests fit into the spec's limit. */
  #wait(bucket, wanted) {
    const { requests, ms } = WINDOWS[bucket];
    const now = Date.now();
    const recent = this.#sent[bucket].filter(({ at }) => now - at < ms + 50).sort((a, b) => a.at - b.at);
    this.#sent[bucket] = recent;
    const over = recent.length + wanted - requests;
    return over <= 0 ? 0 : recent[over - 1].at + ms + 51 - now;
  }

  /** Waits until `wanted` requests fit into the limit. */
  async room(bucket, wanted) {
    for (let ms; (ms = this.#wait(bucket, wanted)) > 0;) await sleep(ms);
  }

  /** Sends without a wait. Used by the steps that test the limits. */
  async send(bucket, path, body, options) {
    const sent = { at: Date.now() };
    this.#sent[bucket].push(sent);
    try {
      return await request('POST', path, { token: this.token, body, ...options });
    } finally {
      // The server counted the request between then and now. The later time is the safe one.
      sent.at = Date.now();
    }
  }

  /** Sends when the limit allows it, so that only the steps about the limits reach them. */
  async paced(bucket, path, body, options) {
    for (let ms; (ms = this.#wait(bucket, 1)) > 0;) await sleep(ms);
    return this.send(bucket, path, body, options);
  }

  place = (...orders) => this.paced('place', '/session/v2/place', { orders });
  edit = (body) => this.paced('place', '/session/editOrder', body);
  cancel = (sessionID) => this.paced('cancel', '/session/cancel', { sessionID });
  cancelMultiple = (sessionIDs) => this.paced('cancel', '/session/cancelMultiple', { sessionIDs });

  /** Places orders, expects all to be accepted and returns their results by position. */
  async placed(...orders) {
    const reply = await this.place(...orders);
    const results = answered(reply).createdSessions;
    for (const [i, result] of results.entries()) must(`createdSessions[${i}].error`, result.error, undefined);
    return results;
  }

  /** Posts offers in one request, waits until the owner's feed shows them and returns their ids. */
  async offers(...orders) {
    const offered = all(all(await this.placed(...orders), 'unmatched'), 'orderID');
    for (const id of offered) {
      must('the id of the resting offer', id, is.text);
      await this.changed(id, 'posted', (u) => u.offered > 0);
    }
    return offered;
  }

  offer = async (order) => (await this.offers(order))[0];

  /** Waits for a `positionUpdate` of the account's offer `id` that passes `test`. */
  changed(id, what, test, options) {
    return this.orders.until(
      `positionUpdate (${what}) of ${id} to ${this.name}`,
      (d) => d.unmatched?.orderID === id && test(d.unmatched, d.matched),
      options,
    );
  }

  gone = (id, options) => this.changed(id, 'cancelled', (u, m) => u.offered === 0 && m === null, options);

  /** Waits for the `positionUpdate` of the account's take `txID`. */
  took = (txID) =>
    this.orders.until(`wager ${txID} to ${this.name}`, (d) => d.origin === 'wager' && d.matched?.txID === txID);

  async unmatched() {
    const reply = await this.get('/user/getUnmatched');
    must(`${reply.asked} data.unmatched`, reply.body?.data?.unmatched, is.array);
    return reply.body.data.unmatched;
  }

  async isOpen(id) {
    return (await this.unmatched()).some((order) => order.id === id);
  }

  /** Cancels all open orders, so that they cannot affect the next step. */
  async clear() {
    const open = (await this.unmatched()).map((order) => order.id);
    for (let i = 0; i < open.length; i += 100) await this.cancelMultiple(open.slice(i, i + 100));
  }

  async me() {
    return (await this.get('/user/getMe')).body.data.user;
  }

  async mode(playerMode) {
    const reply = await this.post('/user/updateCoinsOrCash', { playerMode });
    must(`${reply.asked} data.success`, reply.body?.data?.success, true);
  }
}

// --- orders and messages -----------------------------------------------------------------------------------

export const UNKNOWN = 'ffffffffffffffffffffffff';
let made = 0;
/** A name that this run has not used before. */
export const fresh = (what) => `${what}-${(made += 1)}`;

export const participant = (game, side) => game.participants.find((p) => p.homeAway === side).id;
const order = (game, type, side, odds, risk, more) => ({
  gameID: game.id,
  type,
  side: side === 'home' || side === 'away' ? participant(game, side) : side,
  odds,
  risk,
  orderType: 'post',
  ...more,
});
export const money = (game, side, odds, risk, more) => order(game, 'moneyline', side, odds, risk, more);
export const spread = (game, side, number, odds, risk, more) =>
  order(game, 'spread', side, odds, risk, { number, ...more });
export const total = (game, side, number, odds, risk, more) =>
  order(game, 'total', side, odds, risk, { number, ...more });
export const LIMIT = { orderType: 'limit' };
export const edited = (sessionID, orderOdds, orderVolume, more) => ({
  sessionID,
  orderOdds,
  orderVolume,
  orderType: 'post',
  expiryChange: 60,
  ...more,
});

export const POSITION = {
  ...is.each(is.text, 'gameID eventName league sport platform'),
  ...is.each(is.timestamp, 'start createdAt'),
  parentGameID: is.orNull(is.text),
  live: is.boolean,
  awayRotationNumber: is.number,
  origin: is.oneOf('offer', 'wager'),
};
export const SIDE_ORDER = {
  ...is.each(is.text, 'id gameID'),
  ...is.each(is.positive, 'risk sumUntaken'),
  type: is.oneOf('moneyline', 'spread', 'total'),
  odds: is.number,
  takenRatio: is.orNull(is.number),
  participantID: is.orNull(is.text),
  expiry: is.orNull(is.timestamp),
  createdAt: is.timestamp,
  gameStartExpiry: is.orNull(is.boolean),
};

/** Waits and retries like a throttled client of the spec, at most five attempts. */
export async function patiently(call) {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await call();
    if (reply.status !== 429 || attempt === 5) return { reply, attempt };
    await waitOut(reply);
  }
}
