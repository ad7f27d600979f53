// REST calls over axios. Only the exchange's own JSON is an answer: any other outcome (no answer, a proxy's
// page, a reset) leaves the fate of the request unknown, except a connection that never opened.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { InternalAxiosRequestConfig } from 'axios';
import axios, { AxiosHeaders } from 'axios';
import type { FailureKind } from '../../domain/index.ts';
import { parseTime } from '../../domain/index.ts';
import { readAnswer } from '../../wire/index.ts';
import type { OutgoingCall, RestAnswer, RestPort } from '../ports.ts';
import { MAX_FRAME_BYTES } from '../ports.ts';
import { HELD, transport } from './transport.ts';

/** An answer over HTTP, which is never parsed already. */
export type HttpAnswer = Exclude<RestAnswer, { type: 'read' }>;

/**
 * Idle sockets are closed after this time, ms: Node servers close them after 5 s, and a request on a dead
 * socket has an unknown fate.
 */
const IDLE_SOCKET_MS = 3500;
/** Error codes of a connection that was never made. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', HELD]);

/** The beginning of axios' message for a body over its bound. */
const TOO_LONG = 'maxContentLength size of';

/**
 * axios without its layers (defaults merged anew, interceptors, transforms): a request leaves 0.15 ms
 * earlier.
 */
const send = axios.getAdapter('http');

export class RestClient {
  readonly #base: Omit<InternalAxiosRequestConfig, 'headers'>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agents: readonly [HttpAgent, HttpsAgent];
  /**
   * Receives each answer's `Date` header, Unix ms, with the times of its request and its arrival, monotonic
   * ms.
   */
  readonly #dated: (dateMs: number, sentAt: number, receivedAt: number) => void;

  constructor(
    baseUrl: string,
    apiVersionHeader: string,
    dated: (dateMs: number, sentAt: number, receivedAt: number) => void = () => undefined,
    /** The longest body of an answer, bytes; a longer one counts as no answer. */
    maxBytes = MAX_FRAME_BYTES,
  ) {
    this.#dated = dated;
    const options = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxSockets: 64 };
    this.#agents = [new HttpAgent(options), new HttpsAgent(options)];
    const defaults: object = axios.defaults;
    this.#base = {
      ...defaults,
      baseURL: baseUrl,
      httpAgent: this.#agents[0],
      httpsAgent: this.#agents[1],
      proxy: false,
      maxRedirects: 0,
      maxContentLength: maxBytes,
      responseType: 'text',
      validateStatus: () => true,
      transitional: { clarifyTimeoutError: true },
    };
    this.#headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      ...(apiVersionHeader === '' ? {} : { 'X-API-Version': apiVersionHeader }),
    };
  }

  /**
   * Sends a call; never rejects. The call ends after `deadlineMs`; until then a late answer is still an
   * answer.
   */
  async call(call: OutgoingCall, deadlineMs: number): Promise<HttpAnswer> {
    const sentAt = performance.now();
    try {
      const response = await send({
        ...this.#base,
        method: call.method,
        url: call.path,
        ...(call.body === undefined ? {} : { data: JSON.stringify(call.body) }),
        ...(call.query === undefined ? {} : { params: call.query }),
        headers: new AxiosHeaders({
          ...this.#headers,
          ...(call.token === undefined ? {} : { Authorization: call.token }),
        }),
        transport: transport(deadlineMs, call.held),
      });
      const answer = readAnswer(response.status, response.data, (name): unknown => response.headers[name]);
      if (answer.type !== 'answer') return { type: 'failed', failure: 'foreign-body', detail: answer.detail };
      const dateMs = parseTime(String(response.headers['date']));
      if (dateMs !== undefined) this.#dated(dateMs, sentAt, performance.now());
      return answer;
    } catch (error) {
      // the error object holds the request and its token: only its code and message leave this function
      const code = axios.isAxiosError(error) ? (error.code ?? '') : '';
      const failure: FailureKind = NEVER_SENT.has(code) ? 'not-sent' : 'no-answer';
      const message = error instanceof Error ? error.message : '';
      const detail =
        code === HELD
          ? message
          : message.startsWith(TOO_LONG)
            ? `its body is longer than exchange.maxFrame (${this.#base.maxContentLength} bytes)`
            : code;
      return { type: 'failed', failure, detail: detail === '' ? 'no answer' : detail };
    }
  }

  /** `call` as a port of the door. */
  readonly port: RestPort = (call, deadlineMs, done) => void this.call(call, deadlineMs).then(done);

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }
}
