// `oddsmaker check --probe`: checks the assumptions of the wire profile against an exchange, with reads
// alone. It places, edits and cancels nothing, switches no mode and sends no heartbeat. Settings that only
// such requests could verify are listed as "open".
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { Feed, GameId, OrderId, OrderRef, Result, TxId } from '../domain/index.ts';
import { EXIT, printable } from '../domain/index.ts';
import type { HttpAnswer } from '../exchange/live/index.ts';
import { socketsTo } from '../exchange/live/index.ts';
import { createLog } from '../ops/index.ts';
import type { WireProfile, profileSettings } from '../wire/index.ts';
import {
  bookPerspectiveOf,
  parseEnvelope,
  parseLeagueReply,
  parseOpenOrders,
  parseOrderLookup,
  parsePlayLookup,
  parsePlays,
  parseReferenceTrail,
  parseUser,
} from '../wire/index.ts';
import { embeddedFor, targetOf } from './embedded.ts';
import { answerText, ExchangeReader } from './exchange-reader.ts';
import type { Finding, Verdict } from './probe-book.ts';
import { bookFindings } from './probe-book.ts';

/** Time allowed for a socket to connect, ms. */
const SOCKET_MS = 5000;
/** Ids that do not exist. They show how the exchange answers a look-up that finds nothing. */
const UNUSED = {
  order: '000000000000000000000000' as OrderId,
  play: '000000000000000000000000' as TxId,
  ref: 'a.probe.#0.00000000-0' as OrderRef,
};
/** Settings that only a request with side effects could verify. */
const UNTESTED = [
  'placePath',
  'maxOrdersPerPlace',
  'maxIdsPerCancel',
  'cancelIdsField',
  'batchIsAtomic',
  'editHonoursPost',
  'editKeepsReference',
  'editKeepsId',
  'editExpiryMinutes',
  'heartbeatPath',
] as const satisfies readonly (keyof typeof profileSettings)[];

/** Prints the finding of each probe. @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE */
export async function probe(loaded: LoadedConfig): Promise<number> {
  const log = createLog('warn');
  const embedded = await embeddedFor(loaded, log);
  const prober = new Prober(loaded, targetOf(loaded, embedded));
  try {
    const findings = await prober.all();
    process.stdout.write(textOf(prober.where, findings));
    return findings.some(({ verdict }) => verdict === 'differs') ? EXIT.failed : EXIT.done;
  } finally {
    prober.close();
    await embedded?.close();
  }
}

class Prober {
  readonly where: string;
  readonly #loaded: LoadedConfig;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #profile: WireProfile;
  readonly #reader: ExchangeReader;
  readonly #findings: Finding[] = [];
  /** The exchange's name for the account. Undefined before the login. */
  #username: string | undefined;
  #offsetMs: number | undefined;

  constructor(loaded: LoadedConfig, target: ReturnType<typeof targetOf>) {
    this.where = target.restUrl;
    this.#loaded = loaded;
    this.#target = target;
    this.#profile = loaded.config.exchange.profile;
    this.#reader = new ExchangeReader(loaded, target, (dateMs) => {
      this.#offsetMs = dateMs - Date.now();
    });
  }

  async all(): Promise<readonly Finding[]> {
    await this.#logIn();
    const game = await this.#books();
    await this.#lists();
    await this.#lookUps(game);
    await this.#socket('prices');
    await this.#socket('user');
    this.#note(
      'clock',
      null,
      this.#offsetMs === undefined
        ? 'no answer has a Date header'
        : `its Date is ${Math.round(this.#offsetMs / 1000)} s from this machine's clock`,
      this.#offsetMs === undefined || Math.abs(this.#offsetMs) < 5000 ? 'open' : 'differs',
    );
    for (const name of UNTESTED)
      this.#note(name, this.#profile[name], 'only a request that changes something could verify it', 'open');
    return this.#findings;
  }

  close(): void {
    this.#reader.close();
  }

  #note(setting: string, value: unknown, answered: string, verdict: Verdict): void {
    this.#findings.push({ setting, value, answered, verdict });
  }

  async #logIn(): Promise<void> {
    const { playerMode } = this.#loaded.config.exchange;
    const { mode, cash, coins, username } = await this.#reader.logIn();
    this.#username = username;
    this.#note(
      'loginPath',
      this.#profile.loginPath,
      `logged in; player mode ${mode ?? 'not reported'}, cash ${cash ?? 'not reported'}, coins ${coins ?? 'not reported'}`,
      'holds',
    );
    if (mode !== undefined && mode !== playerMode)
      this.#note('exchange.playerMode', playerMode, `the account is in ${mode} now`, 'differs');
    const me = await this.#reader.read({ what: 'user' });
    const known = me.type === 'answer' ? parseUser(me.body) : undefined;
    this.#note('userPath', this.#profile.userPath, answerText(me), known?.ok === true ? 'holds' : 'differs');
    this.#note(
      'apiVersionHeader',
      this.#profile.apiVersionHeader,
      known?.ok === true ? 'requests with it are answered' : answerText(me),
      'open',
    );
  }

  /**
   * Reads the books of every league.
   * @returns a game of the first league with games; undefined when there is none
   */
  async #books(): Promise<GameId | undefined> {
    const { leagues } = this.#loaded.config.markets;
    let game: GameId | undefined;
    for (const league of leagues) {
      const answer = await this.#reader.read({ what: 'league', league, page: 1 });
      const read =
        answer.type === 'answer' ? parseLeagueReply(answer.body, bookPerspectiveOf(this.#profile)) : undefined;
      const games = read?.ok === true ? read.value.games : [];
      const problem = read === undefined || read.ok ? '' : `, ${read.problem}`;
      this.#note(
        `markets.leagues: ${league}`,
        null,
        `${answerText(answer)}, ${games.length} games${problem}`,
        read?.ok !== true ? 'differs' : games.length === 0 ? 'open' : 'holds',
      );
      if (game !== undefined || games.length === 0 || answer.type !== 'answer') continue;
      game = games[0]?.gameId;
      this.#findings.push(...bookFindings(answer.body, this.#profile));
    }
    return game;
  }

  async #lists(): Promise<void> {
    const orders = await this.#list('openOrdersPath', 'open-orders', 'open orders', parseOpenOrders);
    const plays = await this.#list('playsPath', 'plays', 'matched plays', parsePlays);
    const texts = [orders.text, plays.text];
    const records = orders.count + plays.count;
    this.#note(
      'modeOnRecords',
      this.#profile.modeOnRecords,
      records === 0
        ? 'there is no record to check'
        : texts.some((text) => text.includes('"playerMode"'))
          ? 'records name the player mode'
          : 'records do not name the player mode; it is read where it is',
      'open',
    );
    this.#note(
      'referenceOnRecords',
      this.#profile.referenceOnRecords,
      records === 0
        ? 'there is no record to check'
        : texts.some((text) => text.includes('"userReference":"'))
          ? 'records name the reference'
          : 'no record names a reference: after a kill, orders are known by their ids',
      'open',
    );
  }

  /** Reads a list and notes the finding. `text` is the body of the answer as JSON, '' without an answer. */
  async #list(
    setting: 'openOrdersPath' | 'playsPath',
    kind: 'open-orders' | 'plays',
    named: string,
    parse: (body: unknown) => Result<readonly unknown[]>,
  ): Promise<{ readonly count: number; readonly text: string }> {
    const answer = await this.#reader.read({ what: kind });
    const read = answer.type === 'answer' ? parse(answer.body) : undefined;
    const isRead = read?.ok === true;
    const count = isRead ? read.value.length : 0;
    const summary = isRead ? `${count} ${named}` : answerText(answer);
    this.#note(setting, this.#profile[setting], summary, isRead ? 'holds' : 'differs');
    return { count, text: answer.type === 'answer' ? JSON.stringify(answer.body) : '' };
  }

  /** Looks up an order, a play and a reference that do not exist. */
  async #lookUps(game: GameId | undefined): Promise<void> {
    const { lookupOrderPath, playPath, referencePath } = this.#profile;
    const missing = (answer: HttpAnswer, isRead: (body: unknown) => boolean): Verdict => {
      if (answer.type !== 'answer') return 'differs';
      // an unknown id is answered with the exchange's envelope, an unknown path is not
      if (answer.status === 404 || answer.status === 400)
        return parseEnvelope(answer.body) === undefined ? 'differs' : 'open';
      return answer.status < 300 && isRead(answer.body) ? 'holds' : 'differs';
    };
    const order = await this.#reader.read({ what: 'order', orderId: UNUSED.order });
    this.#note(
      'lookupOrderPath',
      lookupOrderPath,
      `an order that is not there: ${answerText(order)}`,
      missing(order, (body) => parseOrderLookup(body).ok),
    );
    const play = await this.#reader.read({ what: 'play', txId: UNUSED.play });
    this.#note(
      'playPath',
      playPath,
      `a play that is not there: ${answerText(play)}`,
      missing(play, (body) => parsePlayLookup(body, UNUSED.play).ok),
    );
    if (game === undefined) {
      this.#note('referencePath', referencePath, 'there is no game to ask for', 'open');
      return;
    }
    const trail = await this.#reader.read({ what: 'reference', ref: UNUSED.ref, gameId: game });
    this.#note(
      'referencePath',
      referencePath,
      `a reference that is not used: ${answerText(trail)}`,
      missing(trail, (body) => parseReferenceTrail(body, UNUSED.ref).ok),
    );
  }

  /** Connects to a feed and counts the frames received within a short time. */
  async #socket(feed: Feed): Promise<void> {
    const { socketUrl, username } = this.#target;
    const { profile, maxFrame } = this.#loaded.config.exchange;
    let frames = 0;
    const ending = new AbortController();
    const answer = await new Promise<string>((resolve) => {
      const socket = socketsTo(
        socketUrl,
        () => this.#username ?? username,
        profile,
        maxFrame,
      )(feed, {
        connected: () => {
          // wait for first frames
          void sleep(feed === 'prices' ? SOCKET_MS / 2 : 250, undefined, { signal: ending.signal }).then(
            () => resolve('connected'),
            () => undefined,
          );
        },
        packet: () => undefined,
        refused: ({ cause }) => resolve(`refused: ${cause}`),
        closed: (reason) => resolve(`closed at once: ${reason}`),
        frame: () => (frames += 1),
        longFrame: () => (frames += 1),
        read: () => undefined,
      });
      socket.connect(this.#reader.token);
      void sleep(SOCKET_MS, undefined, { signal: ending.signal }).then(
        () => resolve(`no answer within ${SOCKET_MS / 1000} s`),
        () => undefined,
      );
      ending.signal.addEventListener('abort', () => socket.close());
    });
    ending.abort();
    const isUp = answer === 'connected';
    const setting = feed === 'prices' ? 'priceNamespace' : 'userNamespace';
    this.#note(
      `socketPath, socketTokenIn, ${setting}`,
      [profile.socketPath, profile.socketTokenIn, profile[setting]],
      isUp ? `connected, ${frames} frames came` : answer,
      isUp ? 'holds' : 'differs',
    );
  }
}

const VERDICT_TEXT: Readonly<Record<Verdict, string>> = { holds: 'holds', differs: 'DIFFERS', open: 'open' };

function textOf(where: string, findings: readonly Finding[]): string {
  const lines = findings.map(({ setting, value, answered, verdict }) => {
    const set = value === null || value === undefined ? '' : ` ${JSON.stringify(value)}`;
    return `${VERDICT_TEXT[verdict].padEnd(9)}${setting}${set}: ${answered}`;
  });
  const count = (verdict: Verdict): number => findings.filter((finding) => finding.verdict === verdict).length;
  return [
    `${where}, asked with reads alone:`,
    ...lines,
    `${count('holds')} hold, ${count('differs')} differ, ${count('open')} are open`,
    '',
  ]
    .map(printable)
    .join('\n');
}
