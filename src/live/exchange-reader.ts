// Reads of an exchange outside a run: it logs in, and then asks at most four times a second. It places, edits
// and cancels nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { GameMessage, Read } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { HttpAnswer } from '../exchange/live/index.ts';
import { RestClient } from '../exchange/live/index.ts';
import { createLog } from '../ops/index.ts';
import { bookPerspectiveOf, loginCall, parseEnvelope, parseLeagueReply, parseUser, readCall } from '../wire/index.ts';
import { embeddedFor, targetOf } from './embedded.ts';

/** Pause between two reads, far below the rate that the window of reads allows, ms. */
const PAUSE_MS = 250;
const MOST_PAGES = 100;

export class ExchangeReader {
  readonly #loaded: LoadedConfig;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #rest: RestClient;
  #token: string | undefined;

  /** `dated`: receives the exchange's time with each answer, Unix ms. */
  constructor(
    loaded: LoadedConfig,
    target: ReturnType<typeof targetOf>,
    dated: (dateMs: number) => void = () => undefined,
  ) {
    const { profile, maxFrame } = loaded.config.exchange;
    this.#loaded = loaded;
    this.#target = target;
    this.#rest = new RestClient(target.restUrl, profile.apiVersionHeader, dated, maxFrame);
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE */
  async logIn() {
    const { username, password, restUrl } = this.#target;
    const { profile, requestTimeout } = this.#loaded.config.exchange;
    const answer = await this.#rest.call(loginCall(username, password, profile), requestTimeout);
    if (answer.type === 'failed') throw new OddsmakerError('EXCHANGE_UNREACHABLE', `${restUrl}: ${answer.detail}`);
    const user = parseUser(answer.body);
    if (answer.status >= 300 || !user.ok || user.value.token === undefined)
      throw new OddsmakerError('LOGIN_REFUSED', `the exchange refused the login of ${username}: ${answerText(answer)}`);
    this.#token = user.value.token;
    return user.value;
  }

  async read(read: Read): Promise<HttpAnswer> {
    await sleep(PAUSE_MS);
    const { profile, requestTimeout } = this.#loaded.config.exchange;
    const answer = await this.#rest.call({ ...readCall(read, profile), token: this.#token }, requestTimeout);
    // a token may rotate with any answer
    if (answer.type === 'answer') this.#token = answer.newToken ?? this.#token;
    return answer;
  }

  close(): void {
    this.#rest.close();
  }
}

export function answerText(answer: HttpAnswer): string {
  if (answer.type === 'failed') return `${answer.failure}: ${answer.detail}`;
  const envelope = parseEnvelope(answer.body);
  return envelope === undefined ? `status ${answer.status}` : `status ${answer.status}: ${envelope.message}`;
}

/**
 * Reads the books of all configured leagues, with the embedded exchange where one is configured.
 * @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE
 */
export async function readBooks(loaded: LoadedConfig): Promise<readonly GameMessage[]> {
  const embedded = await embeddedFor(loaded, createLog('warn'));
  const reader = new ExchangeReader(loaded, targetOf(loaded, embedded));
  const { markets, exchange } = loaded.config;
  try {
    await reader.logIn();
    const games: GameMessage[] = [];
    for (const league of markets.leagues)
      for (let page = 1; page <= MOST_PAGES; page++) {
        const answer = await reader.read({ what: 'league', league, page });
        const read =
          answer.type === 'answer' ? parseLeagueReply(answer.body, bookPerspectiveOf(exchange.profile)) : undefined;
        if (read?.ok !== true)
          throw new OddsmakerError(
            'EXCHANGE_UNREACHABLE',
            `the book of ${league} cannot be read: ${answerText(answer)}`,
          );
        games.push(...read.value.games);
        if (!read.value.hasNextPage) break;
      }
    return games;
  } finally {
    reader.close();
    await embedded?.close();
  }
}
