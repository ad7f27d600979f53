// `oddsmaker record`: raw feeds to tapes. Watches and reads; there is nothing in it that could place or cancel.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { LoadedConfig } from '../config/index.ts';
import { withEnvFile } from './env-file.ts';
import { STOPPED_BY } from './signals.ts';
import { loadConfig } from '../config/index.ts';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import type { FeedArrival, Session } from '../exchange/index.ts';
import { FeedLife } from '../exchange/index.ts';
import type { HttpAnswer } from '../exchange/live/index.ts';
import { LIVE_TIMERS, RestClient, socketsTo } from '../exchange/live/index.ts';
import type { Log } from '../ops/index.ts';
import { createLog, SYSTEM_CLOCKS, WallClock } from '../ops/index.ts';
import type { Recorder, Times } from '../record/recorder.ts';
import { bookPerspectiveOf, parseLeagueReply, readCall } from '../wire/index.ts';
import { embeddedFor, targetOf } from './embedded.ts';
import { duration } from './flags.ts';
import { begun, sessionFor, sessionSettings } from './sessions.ts';
import { recorderFor, tape, tapesOf } from './tapes.ts';

const REPORT_EVERY_MS = 10_000;
/** Between two pages of a league. */
const PAGE_PAUSE_MS = 200;

const HELP = `
Writes both feeds as received, with the books that REST tells at the start and after every reconnect, to packed segments
(.ndjson.zst, a new one every hour or 64 MB) with an index.json. Where: record.dir of the file, else ./data/tapes beside
it. Ids of accounts become stable pseudonyms, tokens and passwords are taken out. A kill loses at most the last second.
It logs in by itself and never places or cancels: it may run beside the bot of the same account. A run of the bot
records too while record.dir is set.

A disk that refuses is tried again every 10 s; what is lost is counted, and the tape says where it is missing.

Exit:  0 after Ctrl-C, SIGTERM or --for; 2 a wrong command line; 75 the exchange does not answer, or the disk refused
       the end of the tape; 77 the login was refused; 78 a bad configuration.

Examples:
  oddsmaker record config/live.yaml
  oddsmaker record config/paper.yaml --for 60s       the embedded paper exchange, to see what a tape is
  oddsmaker run config/paper-nba.yaml --tape data/tapes/<segment>.ndjson.zst
`;

export function registerRecord(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Records both feeds of an account until it is stopped.')
    .argument('<config>', 'YAML file')
    .option('--for <duration>', 'stop after this long, such as 12h', duration)
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly for?: number }) => {
      finish(await record(file, flags.for));
    });
}

async function record(file: string, forMs: number | undefined): Promise<number> {
  const loaded = loadConfig(file, process.env);
  const log = createLog(loaded.config.log.level);
  const { exchange } = loaded.config;
  const embedded = await embeddedFor(loaded, log);
  const target = targetOf(loaded, embedded);
  const clock = new WallClock(SYSTEM_CLOCKS, (news) => {
    const fields = { code: 'CLOCK_STEPPED', ...news };
    if (news.news === 'anchored')
      log.info('the exchange told its time: the wall time is certain again', news);
    else log.warn('the wall clock was set, or is not the exchange’s: times on the tape go on evenly', fields);
  });
  const rest = new RestClient(target.restUrl, exchange.profile.apiVersionHeader, (...times) => {
    clock.applyDate(...times);
  });
  const now = (): Times => ({ t: clock.now(), mono: performance.now() });
  let lose = (_error: OddsmakerError): void => undefined;
  /** The exchange refuses a login that worked before. */
  const lost = new Promise<OddsmakerError>((resolve) => {
    lose = resolve;
  });
  const session = sessionFor(rest, exchange.profile, sessionSettings(exchange, target), log, (reason) =>
    lose(new OddsmakerError('LOGIN_REFUSED', reason)),
  );
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  for (const signal of STOPPED_BY) process.on(signal, stop);
  let isOver = false;
  const timer =
    forMs === undefined
      ? undefined
      : setTimeout(() => {
          isOver = true;
          stop();
        }, forMs);
  try {
    await begun((done) => session.start(done), ending.signal);
    if (session.token === undefined) {
      process.stdout.write('0 records, 0 lost: stopped before the login\n');
      if (isOver)
        throw new OddsmakerError('EXCHANGE_UNREACHABLE', 'the exchange did not let us log in in that time');
      return EXIT.done;
    }
    const books = (): void => {
      void readBooks(loaded, { rest, session, recorder, log, now }, ending.signal);
    };
    // behind a hole nobody knows the books
    const recorder = recorderFor(loaded, target, log, { token: () => session.token, resumed: books });
    const report = setInterval(() => {
      log.info('recording', { records: recorder.records, lost: recorder.lost });
    }, REPORT_EVERY_MS);
    const received = (arrival: FeedArrival): void => {
      tape(recorder, arrival, now());
      if (arrival.type === 'feed' && arrival.feed === 'prices' && arrival.status === 'up') books();
    };
    const sockets = socketsTo(target.socketUrl, target.username, exchange.profile);
    const ports = { sockets, session, timers: LIVE_TIMERS, tell: received };
    const feeds = [new FeedLife('prices', ports), new FeedLife('user', ports)];
    for (const feed of feeds) feed.connect();
    const gone = await Promise.race([ended(ending.signal), lost, embedded?.died ?? NEVER]);
    ending.abort();
    for (const feed of feeds) feed.close();
    clearInterval(report);
    await recorder.close();
    const { records, lost: missing } = recorder;
    process.stdout.write(`${records - missing} records, ${missing} lost, in ${tapesOf(loaded)}\n`);
    if (gone !== undefined) throw gone;
    if (!recorder.isRefused) return EXIT.done;
    throw new OddsmakerError('TAPE_UNWRITABLE', `${tapesOf(loaded)}: the disk refused the end of the tape`);
  } finally {
    clearTimeout(timer);
    for (const signal of STOPPED_BY) process.off(signal, stop);
    rest.close();
    await embedded?.close();
  }
}

const NEVER = new Promise<never>(() => undefined);

/** The games and books of every league that is configured, page by page. */
async function readBooks(
  { config: { markets, exchange } }: LoadedConfig,
  {
    rest,
    session,
    recorder,
    log,
    now,
  }: {
    readonly rest: RestClient;
    readonly session: Session;
    readonly recorder: Recorder;
    readonly log: Log;
    readonly now: () => Times;
  },
  signal: AbortSignal,
): Promise<void> {
  const { profile } = exchange;
  for (const league of markets.leagues) {
    for (let page = 1, more = true; more && !signal.aborted; page++) {
      const call = readCall({ what: 'league', league, page }, profile);
      const sent = now().t;
      const ask = (): Promise<HttpAnswer> =>
        rest.call({ ...call, token: session.token }, exchange.requestTimeout);
      let answer = await ask();
      if (answer.type === 'answer' && answer.status === 401) {
        await new Promise<void>((renewed) => session.relogin(renewed));
        answer = await ask();
      }
      if (signal.aborted) return;
      if (answer.type === 'failed' || answer.status >= 300) {
        log.warn('a book could not be read', { league, page });
        break;
      }
      session.rotate(answer.newToken);
      recorder.read(`${call.method} ${call.path}`, answer.body, sent, now());
      const parsed = parseLeagueReply(answer.body, bookPerspectiveOf(profile));
      more = parsed.ok && parsed.value.hasNextPage;
      await sleep(PAGE_PAUSE_MS);
    }
  }
}

const ended = (signal: AbortSignal): Promise<undefined> =>
  signal.aborted
    ? Promise.resolve(undefined)
    : new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
      });
