// Opens the signal sources of a bot (`signals:`), which share one intake. They start when the bot can take
// signals and close before the bot ends. A source that fails does not end the run.
import type { Config, LoadedConfig } from '../config/index.ts';
import { loadTeams } from '../config/index.ts';
import { AgeCounts, isScore } from '../domain/index.ts';
import type { Log, SignalFigures } from '../ops/index.ts';
import { signalAges } from '../run/index.ts';
import type { SignalSource, TeamTable } from '../signals/index.ts';
import { FollowedFile, fileOdds, httpOdds, OddsFeed, statusFieldsOf, SignalIntake } from '../signals/index.ts';
import type { Bot } from './bot.ts';

const CHECK_EVERY_MS = 5000;

export type SignalParts = {
  readonly loaded: LoadedConfig;
  readonly bot: Pick<Bot, 'core' | 'isSubscribed' | 'enter'>;
  /** Why signals are not taken yet. Undefined when they are. */
  readonly starting: () => string | undefined;
  /** The table read from `signals.odds.teams`. */
  readonly teams: TeamTable;
  readonly log: Log;
};

export type BotSignals = {
  /** Takes messages received over HTTP. */
  readonly take: (messages: readonly unknown[]) => ReturnType<SignalIntake['takeWhole']>;
  /** Problem of each source, by name. Undefined for a source that works. */
  readonly problems: SignalFigures['sources'];
  /** Quotes of the odds feed that are far from all others. */
  readonly gaps: SignalFigures['gaps'];
  readonly figures: SignalFigures;
  /** Fields for `/status` and `ctl status`. */
  readonly status: Readonly<Record<string, unknown>>;
  readonly close: () => Promise<void>;
};

/** The configured table of teams, empty when none is configured. @throws OddsmakerError CONFIG_INVALID */
export function teamsOf({ config, resolve }: LoadedConfig): TeamTable {
  const { teams } = config.signals.odds ?? {};
  return teams === undefined || teams === null ? {} : loadTeams(resolve(teams));
}

export async function openSignals({ loaded, bot, starting, teams, log }: SignalParts): Promise<BotSignals> {
  const { files, redis, odds } = loaded.config.signals;
  const [now, wall] = [() => performance.now(), Date.now];
  const intake = new SignalIntake(
    {
      enter: (update) => {
        const refused = starting() ?? bot.enter({ type: 'signal', ...update });
        if (refused === undefined && Object.keys(update.values).some(isScore)) feed?.repriceSoon();
        return refused;
      },
      isSubscribed: (name) => bot.isSubscribed(name),
      wall,
      log,
    },
    // sends every line of the bookmakers, also those that no strategy subscribed
    ['odds'],
  );
  const takeFrom = (source: string, from?: string) => (messages: readonly unknown[]) =>
    void intake.takeNewest(source, messages, from);
  let feed: OddsFeed | undefined;
  const sources: SignalSource[] = files.map((file) => {
    const path = loaded.resolve(file);
    return new FollowedFile(path, { take: takeFrom('file', `file ${path}`), log, now });
  });
  if (redis !== null) {
    // imported here because most bots need no Redis client
    const { RedisStream } = await import('../signals/redis/index.ts');
    sources.push(new RedisStream(redis, { take: takeFrom('redis'), log, now, wall }));
  }
  if (odds !== null) {
    feed = oddsFeedOf(
      odds,
      { loaded, bot, teams, log },
      (messages) => intake.take('odds', messages).closed === undefined,
    );
    sources.push(feed);
  }
  const timer = setInterval(() => intake.lookAround(), CHECK_EVERY_MS).unref();
  const problems = (): SignalFigures['sources'] =>
    Object.fromEntries(sources.map((source) => [source.name, statusFieldsOf(source).problem]));
  return {
    take: (messages) => intake.takeWhole('http', messages),
    get problems() {
      return problems();
    },
    get gaps() {
      return feed?.gaps ?? [];
    },
    get figures() {
      return { ...figuresOf(intake, sources, bot), sources: problems(), gaps: feed?.gaps ?? [] };
    },
    get status() {
      const statuses = sources.map((source) => {
        const { problem, details } = statusFieldsOf(source);
        return [source.name, { problem: problem ?? null, ...details }];
      });
      const { all, names } = signalAges(bot.core.signalAges());
      return {
        signalSources: Object.fromEntries(statuses) as unknown,
        signalsTaken: intake.counts,
        signalAges: { all: all ?? null, names: names.slice(0, MOST_NAMED), of: names.length },
      };
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all(sources.map((source) => source.close()));
    },
  };
}

/** `take`: enters messages; returns true when the bot accepted them. */
function oddsFeedOf(
  odds: NonNullable<Config['signals']['odds']>,
  { loaded, bot: { core }, teams, log }: Omit<SignalParts, 'starting'>,
  take: (messages: readonly unknown[]) => boolean,
): OddsFeed {
  const { url, file = '', every, ttl, devig, books, model, exchangeWeight, deviations } = odds;
  return new OddsFeed(
    {
      ...{ method: devig, weights: books, ttlMs: ttl, everyMs: every, table: teams },
      model: model === 'fit' ? { exchangeWeight, deviations } : undefined,
    },
    {
      read: url === undefined ? fileOdds(loaded.resolve(file)) : httpOdds(url, Date.now),
      take,
      games: () => core.games(),
      drawOf: ({ id }) => core.sportOf(id).rule.draw,
      sportOf: ({ id }) => core.sportOf(id).sport,
      marketsOf: (id) => core.marketsOfGame(id),
      consensusIn: (id) => core.consensusIn(id),
      scoreOf: (id) => core.scoreOf(id),
      log,
      now: () => performance.now(),
      wall: Date.now,
    },
  );
}

/** Maximum number of signals whose ages are listed one by one. */
const MOST_NAMED = 50;

function figuresOf(
  intake: SignalIntake,
  sources: readonly SignalSource[],
  { core }: SignalParts['bot'],
): Omit<SignalFigures, 'sources' | 'gaps'> {
  const taken = { accepted: 0, unknown: 0, refused: 0, outrun: 0 };
  for (const counts of Object.values(intake.counts))
    for (const key of Object.keys(taken) as (keyof typeof taken)[]) taken[key] += counts[key];
  const all = AgeCounts.sum(core.signalAges().values()).figures;
  const odds = sources.find(({ name }) => name === 'odds');
  const { matched, unmatchedCount } = odds === undefined ? {} : statusFieldsOf(odds).details;
  return {
    taken,
    ages: all && { '0.5': all.p50Ms / 1000, '0.95': all.p95Ms / 1000 },
    events:
      typeof matched === 'number' && typeof unmatchedCount === 'number'
        ? { matched, unmatched: unmatchedCount }
        : undefined,
  };
}
