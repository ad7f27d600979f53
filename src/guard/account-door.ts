// A command's own way to the account, apart from any bot: its own login, cancelAllOrders and the list of open orders.
// Whatever goes wrong comes back as a word, so that whoever must not give up can ask again.
import type { Config } from '../config/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { OutgoingCall, Session } from '../exchange/index.ts';
import type { HttpAnswer } from '../exchange/live/index.ts';
import { RestClient } from '../exchange/live/index.ts';
import type { Log } from '../ops/index.ts';
import { parseOpenOrders } from '../wire/index.ts';
import type { Credentials } from '../setup/index.ts';
import { begun, sessionFor, sessionSettings } from '../setup/index.ts';

export class AccountDoor {
  readonly #rest: RestClient;
  readonly #exchange: Config['exchange'];
  readonly #log: Log;
  readonly #account: Credentials;
  #session: Session | undefined;

  /** @throws OddsmakerError CONFIG_INVALID when the exchange is an embedded one */
  constructor(file: string, exchange: Config['exchange'], log: Log) {
    const { restUrl, username, password, profile, maxFrame } = exchange;
    if (restUrl === undefined || username === undefined || password === undefined) {
      throw new OddsmakerError(
        'CONFIG_INVALID',
        `${file}: exchange.embedded has no account that outlives its bot: there is nothing to cancel`,
      );
    }
    this.#account = { username, password };
    this.#exchange = exchange;
    this.#log = log;
    this.#rest = new RestClient(restUrl, profile.apiVersionHeader, undefined, maxFrame);
  }

  /** @throws OddsmakerError LOGIN_REFUSED; EXCHANGE_UNREACHABLE after `timeoutMs` */
  async login(timeoutMs = this.#exchange.startTimeout, signal?: AbortSignal): Promise<void> {
    const settings = sessionSettings(this.#exchange, this.#account, timeoutMs);
    const session = sessionFor(this.#rest, this.#exchange.profile, settings, this.#log);
    await begun((done) => session.start(done), signal);
    this.#session = session;
  }

  /** Undefined when the exchange took it; otherwise what it answered instead. */
  async cancelAll(): Promise<string | undefined> {
    const answer = await this.#call({ method: 'POST', path: '/session/cancelAllOrders', body: {} });
    if (typeof answer === 'string') return answer;
    return answer.status >= 200 && answer.status < 300 ? undefined : `status ${answer.status}`;
  }

  /** Undefined when it cannot be known now. */
  async countOpen(): Promise<number | undefined> {
    const answer = await this.#call({ method: 'GET', path: this.#exchange.profile.openOrdersPath });
    if (typeof answer === 'string' || answer.status !== 200) return undefined;
    const orders = parseOpenOrders(answer.body);
    return orders.ok ? orders.value.length : undefined;
  }

  close(): void {
    this.#session?.close();
    this.#rest.close();
  }

  /** An expired token is renewed once, by a new login; the call is then made again. */
  async #call(call: OutgoingCall): Promise<Extract<HttpAnswer, { readonly type: 'answer' }> | string> {
    for (const attempt of ['first', 'after a new login'] as const) {
      try {
        if (this.#session === undefined) await this.login(this.#exchange.requestTimeout);
      } catch (error) {
        return messageOf(error);
      }
      const token = this.#session?.token;
      const answer = await this.#rest.call({ ...call, token }, this.#exchange.requestTimeout);
      if (answer.type === 'failed') return answer.detail;
      this.#session?.rotate(answer.newToken);
      if (answer.status !== 401 || attempt !== 'first') return answer;
      this.#session = undefined;
    }
    return 'no answer';
  }
}
