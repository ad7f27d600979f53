// The closes of 2025 by book: one model a game from all books, and each line of a book from the lines of the others.
import type { FairQuote } from '../../src/pricing/index.ts';
import { fitGame, normalBelow, normalQuantile } from '../../src/pricing/index.ts';
import type { DataFolder, Row } from './data.ts';
import { fairOfAmerican } from './data.ts';
import { wonBy } from './football-games.ts';
import { normalShare } from './shape.ts';
import { fixed, prose, table, whole } from './markdown.ts';
import { lossOf, lossOfEither, mean, gainText, median, rms } from './statistics.ts';

/** Quotes that are older than this at the kick-off are no close. */
const LATEST_MS = 30 * 60_000;
const STERN = 13.86;

const isClose = (row: Row): boolean =>
  new Date(row.text('kickoff_utc')).getTime() - new Date(row.text('snapshot_utc')).getTime() <= LATEST_MS;

function quotesOf(row: Row): readonly FairQuote[] {
  const book = row.text('book');
  const quote = (
    type: FairQuote['type'],
    side: FairQuote['side'],
    columns: readonly [string, string],
    line?: number,
  ): readonly FairQuote[] => {
    const probability = fairOfAmerican(columns.map((column) => row.number(column)))?.[0];
    if (probability === undefined || (line !== undefined && !Number.isInteger(line * 2))) return [];
    return [{ book, type, side, probability, ...(line !== undefined && { line }) }];
  };
  return [
    ...quote('moneyline', 'home', ['ml_home', 'ml_away']),
    ...quote('spread', 'home', ['spread_home_price', 'spread_away_price'], row.number('spread_home')),
    ...quote('total', 'over', ['over_price', 'under_price'], row.number('total')),
  ];
}

/** `deviations` of the margin in the third row: the shipped one and that of results. */
export function footballByBook(data: DataFolder, deviations: readonly number[]): string {
  const games = new Map<string, Row[]>();
  for (const row of data.rows('footballByBook').filter(isClose)) {
    const rows = games.get(row.text('game_id')) ?? [];
    games.set(row.text('game_id'), [...rows, row]);
  }
  const scored = [...games.values()].flatMap((rows) => {
    const quotes = rows.flatMap(quotesOf);
    const [first] = rows;
    if (first === undefined || quotes.length === 0) return [];
    const margin = first.number('home_score') - first.number('away_score');
    const { model } = fitGame(quotes, { sport: 'football' });
    const spread = median(rows.map((row) => row.number('spread_home')));
    const plain = normalShare(margin, -spread, STERN);
    const { from, probabilities } = model.grid.margin;
    return [
      {
        model: {
          winner: lossOfEither(model.moneyline().fair, wonBy(margin)),
          margin: lossOf(probabilities[margin - from] ?? 0),
        },
        stern: { winner: lossOfEither(normalBelow(-spread / STERN), wonBy(margin)), margin: lossOf(plain) },
        lines: otherLines(quotes, deviations),
      },
    ];
  });
  const lines = scored.flatMap(({ lines: others }) => others);
  const row = (what: 'winner' | 'margin'): readonly string[] => {
    const [model, stern] = [scored.map((game) => game.model[what]), scored.map((game) => game.stern[what])];
    return [`log loss of the ${what}`, fixed(mean(model), 3), fixed(mean(stern), 3), gainText(model, stern)];
  };
  return [
    prose(`${whole(scored.length)} games before 15 November 2025 have closes within 30 minutes of the kick-off. The first two
      rows score a fit to all books, the baseline is the normal distribution of Stern around the median spread. The
      third predicts the spread price of a book from the other books' other lines alone, ${whole(lines.length)} prices.`),
    table(
      ['', 'model', `normal ${STERN}`, 'gain'],
      [
        row('winner'),
        row('margin'),
        [
          'spread price from other lines, r.m.s. error in points',
          deviations
            .map(
              (deviation, index) =>
                `${fixed(100 * rms(lines.map(({ model }) => model[index] ?? 0)), 2)} (σ ${fixed(deviation, 1)})`,
            )
            .join(', '),
          fixed(100 * rms(lines.map(({ stern }) => stern)), 2),
          '',
        ],
      ],
    ),
  ].join('\n\n');
}

/** The errors of each spread price, predicted from those of other books on other lines: by deviation, and of Stern. */
function otherLines(
  quotes: readonly FairQuote[],
  deviations: readonly number[],
): readonly { readonly model: readonly number[]; readonly stern: number }[] {
  const spreads = quotes.filter(({ type }) => type === 'spread');
  return spreads.flatMap((quote) => {
    const others = spreads.filter(({ book, line }) => book !== quote.book && line !== quote.line);
    if (others.length === 0) return [];
    const model = deviations.map((marginDeviation) => {
      const { fair } = fitGame(others, { sport: 'football', known: { marginDeviation } }).priceOf(quote);
      return quote.probability - fair;
    });
    const means = others.map(({ line = 0, probability }) => STERN * normalQuantile(probability) - line);
    return [{ model, stern: quote.probability - normalBelow((mean(means) + (quote.line ?? 0)) / STERN) }];
  });
}
