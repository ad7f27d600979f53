// `oddsmaker price`: what every line of tonight's games is worth, from an odds document or from the exchange's book.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { LoadedConfig } from '../config/index.ts';
import { loadConfig } from '../config/index.ts';
import { didYouMean, EXIT, messageOf, OddsmakerError, Sports } from '../domain/index.ts';
import { userFileText } from '../journal/index.ts';
import { readBooks } from '../live/index.ts';
import type { DevigMethod, ModelSport } from '../pricing/index.ts';
import { DEVIG_METHODS, MODEL_SPORTS } from '../pricing/index.ts';
import type { Priced, PricedGame, PriceSettings } from '../signals/index.ts';
import { httpOdds, priceBooks, priceEvents, readOddsFile } from '../signals/index.ts';
import { withEnvFile } from './env-file.ts';
import { bookPrices } from './price-book.ts';
import { gameText } from './price-text.ts';
import { say } from './say.ts';

const HELP = `
Fits one model to all quotes of a game, on whatever lines they stand, and prints what every line is worth: fair
probability, its standard error, fair American odds, and how far each bookmaker is from it. Nothing is sent but reads.

An odds file is a list of events as the odds vendors send it, {"ts": ms, "data": [events]}, or a file with one of these
on each line (.gz and .zst too); of each event the newest prices before its start count. With a configuration the odds
come from signals.odds, with its books and its method; without signals.odds, or with --book, the exchange's own book is
read and priced. A book that stands alone makes no price unless signals.odds.books names it.

Rows that make no price are named on stderr. Lines are home's spread and the total; fair is of home or over, of the
bets that do not push.

Exit:  0 done; 2 a wrong command line, or no such game; 65 the file is no odds document; 75 the exchange or the vendor
       does not answer; 77 the exchange refused the login; 78 the configuration is not good.

Examples:
  oddsmaker price odds.json
  oddsmaker price odds.json --game lakers --all
  oddsmaker price config/live.yaml --env-file .env --json > prices.json
  oddsmaker price config/paper.yaml --book
`;

type Flags = {
  readonly game?: string;
  readonly sport?: ModelSport;
  readonly devig?: DevigMethod;
  readonly book?: true;
  readonly all?: true;
  readonly json?: true;
};

export function registerPrice(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Prices every line of each game, from an odds document or from the book of the exchange.')
    .argument('<file>', 'configuration (.yaml), or a file of odds')
    .option('--game <text>', 'games whose name contains this, in any case')
    .addOption(new Option('--sport <sport>', 'the model, where the file does not show the sport').choices(MODEL_SPORTS))
    .addOption(
      new Option('--devig <method>', 'removes the margin of the bookmakers (default: shin)').choices(DEVIG_METHODS),
    )
    .option('--book', "price the exchange's own book, also where the configuration has an odds feed")
    .option('--all', 'print every line with a fair price of .02 to .98')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags, self: Command) => {
      const priced = await pricesOf(file, flags);
      const { games, faults, names } = priced;
      if (flags.game !== undefined && names.length > 0 && !names.some((name) => isMatch(name, flags.game)))
        self.error(`error: no game is named ${JSON.stringify(flags.game)}${didYouMean(flags.game, names)}`, {
          exitCode: EXIT.usage,
        });
      for (const fault of faults) say(fault);
      process.stdout.write(flags.json === true ? `${JSON.stringify(jsonOf(games))}\n` : textOf(games, flags));
      finish(EXIT.done);
    });
}

const isMatch = (name: string, text = ''): boolean => name.toLowerCase().includes(text.toLowerCase());

async function pricesOf(file: string, flags: Flags): Promise<Priced> {
  const settings: PriceSettings = {
    method: flags.devig ?? 'shin',
    weights: {},
    deviations: {},
    sport: flags.sport,
    game: flags.game,
  };
  if (!/\.ya?ml$/.test(file)) return priceEvents(oddsIn(await textIn(file), file), settings);
  const loaded = loadConfig(file, process.env);
  const { odds } = loaded.config.signals;
  const own = {
    ...settings,
    ...(odds !== null && { method: flags.devig ?? odds.devig, weights: odds.books, deviations: odds.deviations }),
  };
  if (odds !== null && flags.book !== true) return priceEvents(await oddsOf(loaded, odds), own);
  const sports = new Sports(loaded.config.sports);
  const books = bookPrices(await readBooks(loaded), loaded.config.exchange.profile);
  return priceBooks(books, (game) => sports.sportOf(game), own);
}

async function textIn(file: string): Promise<string> {
  try {
    return await userFileText(file);
  } catch (error) {
    throw new OddsmakerError('ODDS_INVALID', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function oddsIn(text: string, from: string) {
  const read = readOddsFile(text);
  if (typeof read === 'string') throw new OddsmakerError('ODDS_INVALID', `${from} is no odds document: ${read}`);
  return read;
}

async function oddsOf(
  loaded: LoadedConfig,
  { url, file = '' }: NonNullable<LoadedConfig['config']['signals']['odds']>,
) {
  if (url === undefined) return oddsIn(await textIn(loaded.resolve(file)), loaded.resolve(file));
  const reading = await httpOdds(url, Date.now)(new AbortController().signal);
  if (reading.type === 'failed') throw new OddsmakerError('ODDS_UNREACHABLE', reading.problem);
  return oddsIn(reading.type === 'new' ? reading.text : '', 'the document of signals.odds.url');
}

const rounded = (value: number): number => Number(value.toFixed(6));

const jsonOf = (games: readonly PricedGame[]) => ({
  games: games.map(({ parameters, errors, lines, quotes, ...game }) => ({
    ...game,
    parameters: roundedAll(parameters),
    errors: roundedAll(errors),
    lines: lines.map((line) => ({ ...line, fair: rounded(line.fair), error: rounded(line.error) })),
    quotes: quotes.map((quote) => ({
      ...quote,
      price: rounded(quote.price),
      fair: rounded(quote.fair),
      residual: rounded(quote.residual),
    })),
  })),
});
const roundedAll = (values: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rounded(value)]));

function textOf(games: readonly PricedGame[], { all, game }: Flags): string {
  if (games.length === 0) return 'No game has a price.\n';
  return `${games.flatMap((priced) => gameText(priced, { all: all === true, isAlone: game !== undefined || games.length === 1 })).join('\n')}\n`;
}
