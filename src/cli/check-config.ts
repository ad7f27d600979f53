// What `oddsmaker check` prints: the settings in force, with secrets hidden, and the assumptions about the wire.
import type { Config, LoadedConfig } from '../config/index.ts';
import { loadConfig, redactedConfig } from '../config/index.ts';
import type { KnownSport } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import {
  didYouMean,
  EXIT,
  isAmbiguousLeague,
  KNOWN_LEAGUES,
  printable,
  SPORT_COLUMNS,
  Sports,
  redacted,
} from '../domain/index.ts';
import { describeParams } from '../strategy/host/index.ts';
import { DEFAULT_PROFILE, isOfPreset, profileSettings } from '../wire/index.ts';
import {
  attributeFault,
  THROWN,
  loadCoreSettings,
  missingForRun,
  strategyMarkets,
  habitsOf,
  habitText,
  TypeChecker,
  tooSmall,
  configWarnings,
  deprecatedPrices,
} from '../setup/index.ts';
import { pricesShown } from './check-prices.ts';
import { signalRows, signalWarnings } from './check-signals.ts';
import { ask, filesOf, reloadText } from '../guard/index.ts';
import { previewOf, sampleGame } from './quote-preview.ts';

/** @param all shows all lines of the price table, and a strategy of whole games with a position in each market */
export async function check(file: string, finish: (code: number) => void, all = false): Promise<void> {
  const loaded = loadConfig(file, process.env);
  const { settings, strategies, modules } = await loadCoreSettings(loaded);
  const shown = redactedConfig(loaded.config) as typeof loaded.config;
  const { profile } = loaded.config.exchange;
  const missing = missingForRun(loaded);
  const signals = signalRows(loaded);
  const leagues = sportsOf(loaded.config);
  const game = await sampleGame();
  const previews = loaded.config.strategies.flatMap(({ id, params }, index) => {
    const { strategy } = settings.strategies[index] ?? {};
    if (game === undefined || strategy === undefined) return [];
    return [{ id, index, scope: strategy.scope, ...previewOf({ strategy, params }, game, loaded.config, all) }];
  });
  const quoters = strategyMarkets(loaded.config);
  const typed = new TypeChecker(file).check(strategies.map(({ file: use }) => loaded.resolve(use)));
  if (typed.problems !== undefined && typed.problems.length > 0) {
    process.stderr.write(
      `oddsmaker: the strategies have type errors:\n${typed.problems.map((problem) => `  ${problem}\n`).join('')}`,
    );
    finish(EXIT.failed);
    return;
  }
  const lines = [
    `${file} is good.`,
    ...(missing === undefined ? [] : ['', `\`run\` needs more: ${missing.message}`]),
    '',
    typed.problems === undefined
      ? `Types of the strategies: not checked, ${typed.why}`
      : 'Types of the strategies: checked',
    '',
    'Effective configuration (durations in ms):',
    ...JSON.stringify(shown, null, 2).split('\n'),
    '',
    'Strategies:',
    ...strategies.flatMap(({ file: use, sha256 }, index) => [
      `  ${use}  sha256 ${sha256.slice(0, 16)}…`,
      ...describeParams(settings.strategies[index]?.strategy, shown.strategies[index]?.params).map(
        ({ name, value, isSet, description }) => row(4, name, value, isSet ? 'set' : 'default', description),
      ),
    ]),
    '',
    'Who quotes what (strategies[].markets):',
    ...quoters.rows.map((line) => `  ${line}`),
    ...previews.flatMap(({ id, scope, lines: previewLines }) => [
      '',
      `${id}, on a ${scope === 'game' ? 'game' : 'book'} of the sample tape:`,
      ...previewLines.map((line) => `  ${line}`),
    ]),
    '',
    'Parts of games (markets.periods, props, futures):',
    ...partRows(loaded.config),
    '',
    'Sports, what decides a bet and what may hedge what (sports):',
    ...leagues.flatMap(sportRows),
    '',
    'Signals, prices from outside:',
    ...signals.map(([name, text]) => `  ${name.padEnd(10)}${text}`),
    '',
    ...withEnd(pricesShown(loaded, game, all)),
    'Wire profile:',
    ...Object.entries(profileSettings).map(([key, schema]) => {
      const value = profile[key as keyof typeof profile];
      const isSet = loaded.sets(['exchange', 'profile', key]);
      const isGiven = profile.preset !== DEFAULT_PROFILE.preset && isOfPreset(key);
      return row(2, key, value, isSet ? 'set' : isGiven ? 'preset' : 'assumed', schema.description);
    }),
  ];
  process.stdout.write(`${lines.map((line) => printable(redacted(line))).join('\n')}\n`);
  for (const warning of [...quoters.shared, ...warningsOf(loaded, strategies, previews, leagues)])
    process.stderr.write(`oddsmaker: warning: ${warning}\n`);
  finish(EXIT.done);
  // a strategy file may throw later, while its timers keep the process running
  for (const event of THROWN)
    process.on(event, (thrown: unknown) => {
      process.stderr.write(`oddsmaker: ${file} is not good: ${attributeFault(modules, thrown).message}\n`);
      finish(EXIT.badConfig);
    });
}

/** All that is allowed and probably not intended. */
const warningsOf = (
  loaded: LoadedConfig,
  strategies: readonly RecordedStrategy[],
  previews: Parameters<typeof tooSmall>[1],
  leagues: readonly LeagueSport[],
): readonly string[] => [
  ...configWarnings(loaded),
  ...deprecatedPrices(strategies),
  ...habitsOf(strategies).map(habitText),
  ...signalWarnings(loaded),
  ...tooSmall(loaded, previews),
  ...leagues.filter(({ origin }) => origin === 'unknown').map(({ league }) => unknownLeague(league)),
];

const withEnd = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : [...lines, '']);

/** Asks the bot what a reload would do: the bot loads and tries changed strategy files. */
export async function diff(file: string): Promise<number> {
  const reply = await ask(file, filesOf(file), { command: 'reload', dry: true });
  if (reply.ok) process.stdout.write(`A reload of ${file} ${reloadText(reply, true)}\n`);
  else process.stderr.write(`oddsmaker: a reload of ${file} would change nothing: ${reply.error}\n`);
  return reply.ok ? EXIT.done : EXIT.badConfig;
}

/** Asks the exchange what the wire profile assumes. Only this needs the network code. */
export async function probe(file: string): Promise<number> {
  const loaded = loadConfig(file, process.env);
  const live = await import('../live/index.ts');
  return live.probe(loaded);
}

/** Which parts of games are quoted, and which parts that an exchange may have are left out. */
function partRows({ markets, exchange }: Config): readonly string[] {
  const { periods, props, futures } = markets;
  if (periods === null)
    return [
      '  quoted    every child game and prop that the feed announces in these leagues, as version 0.2 did: each by itself,',
      '            with maxGameLoss for each; futures are left out',
    ];
  const games = periods.filter((period) => period !== 'full');
  const quoted = [
    ...(periods.includes('full') ? ['whole games'] : []),
    ...(games.length > 0 ? [`child games of ${games.join(', ')}`] : []),
    ...(props ? ['props'] : []),
    ...(futures ? ['futures'] : []),
  ];
  const left = [
    ...(periods.includes('full') ? [] : ['whole games']),
    games.length > 0 ? 'child games of other periods' : 'child games (halves, quarters, periods, sets …)',
    ...(props ? [] : ['props (player markets)']),
    ...(futures ? ['futures without two sides'] : ['futures']),
  ];
  const { secondHalfOvertime } = exchange.profile;
  return [
    `  quoted    ${quoted.length === 0 ? 'nothing' : quoted.join(', ')}`,
    `  left out  ${left.join(', ')}`,
    ...(games.length > 0 || props || futures
      ? ['  level     a part or a future that ends level loses both sides of a moneyline, unless sports sets draw']
      : []),
    ...(games.includes('h2')
      ? [
          `  h2        its score is taken to count ${secondHalfOvertime ? 'overtime' : 'no overtime'} (exchange.profile.secondHalfOvertime)`,
        ]
      : []),
  ];
}

type LeagueSport = KnownSport & { readonly league: string };

function sportsOf({ markets, sports }: Config): readonly LeagueSport[] {
  const known = new Sports(sports);
  return markets.leagues.map((league) => ({
    league,
    ...known.sportOf({ league, sport: '', parentGameId: undefined }),
  }));
}

/** The meaning of each column of the table. */
const COLUMN_TEXTS: Readonly<Record<(typeof SPORT_COLUMNS)[number], string>> = {
  moneyline: 'what decides it: a score shared with the types that name the same, or winner',
  spread: 'the same',
  total: 'the same; the two numbers of a result are of this score',
  draw: 'what a level end makes of a moneyline: push, both-lose or impossible',
  voidApart: 'what the house may void while the rest stands: none, lines (spread and total) or each type',
};

function sportRows({ league, sport, rule, set }: LeagueSport): readonly string[] {
  const name = sport ?? 'unknown, unless its games name a sport that is known';
  const suffix = isAmbiguousLeague(league) ? ', unless its games name another sport' : '';
  return [
    `  ${league}: ${name}${suffix}`,
    ...SPORT_COLUMNS.map((column) =>
      row(4, column, rule[column], set.includes(column) ? 'set' : 'assumed', COLUMN_TEXTS[column]),
    ),
  ];
}

const unknownLeague = (league: string): string =>
  `it is not known what decides bets of league ${JSON.stringify(league)}: unless its games name a sport that is known, no two market types hedge each other, a draw loses both sides, and \`run\` reports SPORT_UNKNOWN; set sports: { ${JSON.stringify(league)}: { moneyline: score, draw: push, voidApart: none } }, as its rules are${didYouMean(league, KNOWN_LEAGUES)}`;

const row = (indent: number, name: string, value: unknown, origin: string, description = ''): string =>
  `${' '.repeat(indent)}${name.padEnd(22 - indent)} ${(JSON.stringify(value) ?? 'none').padEnd(26)} ${origin.padEnd(8)} ${description}`;
