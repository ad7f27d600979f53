// A command's own access to the account, apart from any bot: its own login, cancelAllOrders and the list of
// open orders. Failures are returned as text, so that a caller that must not give up can try again.
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

  /** Opens no connection yet. @throws OddsmakerError CONFIG_INVALID when the exchange is embedded */
  constructor(file: string, exchange: Config['exchange'], log: Log) {
    const { restUrl, username, password, profile, maxFrame } = exchange;
    if (restUrl === undefined || username === undefined || password === undefined) {
      throw new OddsmakerError(
        'CONFIG_INVALID',
        `${file}: the account of exchange.embedded ends with its bot, so there is nothing to cancel`,
      );
    }
    this.#account = { username, password };
    this.#exchange = exchange;
    this.#log = log;
    this.#rest = new RestClient(restUrl, profile.apiVersionHeader, undefined, maxFrame);
  }

  /** Logs in. @throws OddsmakerError LOGIN_REFUSED; EXCHANGE_UNREACHABLE after `timeoutMs` */
  async login(timeoutMs = this.#exchange.startTimeout, signal?: AbortSignal): Promise<void> {
    const settings = sessionSettings(this.#exchange, this.#account, timeoutMs);
    const session = sessionFor(this.#rest, this.#exchange.profile, settings, this.#log);
    await begun((done) => session.start(done), signal);
    this.#session = session;
  }

  /** Cancels all orders. Returns undefined when the exchange accepted the request, else what went wrong. */
  async cancelAll(): Promise<string | undefined> {
    const answer = await this.#call({ method: 'POST', path: '/session/cancelAllOrders', body: {} });
    if (typeof answer === 'string') return answer;
    return answer.status >= 200 && answer.status < 300 ? undefined : `status ${answer.status}`;
  }

  /** Counts the open orders. Returns undefined when the exchange does not answer with a list. */
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

  /** Makes a call. If the token has expired, it logs in again once and repeats the call. */
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
