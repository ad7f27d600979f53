// The table of a game for the terminal: the model, its lines, and how far each book is from it.
import type { PricedGame, PricedLine, PricedQuote } from '../signals/index.ts';
import { aligned } from '../terminal/index.ts';

/** Lines with a fair price in this range are shown without --all. */
const [LEAST, MOST] = [0.4, 0.6];

/**
 * The lines of text of a game.
 * @param view `all`: every line; `isAlone`: with the bookmakers
 */
export function gameText(
  { game, sport, model, parameters, errors, lines, quotes }: PricedGame,
  view: { readonly all: boolean; readonly isAlone: boolean },
): readonly string[] {
  const shown = lines.filter(
    (line) => view.all || line.line === null || (line.fair >= LEAST && line.fair <= MOST) || isQuoted(line, quotes),
  );
  const books = new Set(quotes.map(({ book }) => book)).size;
  return [
    `${game}: ${sport}, ${model}, ${books} ${books === 1 ? 'book' : 'books'}`,
    `  ${Object.entries(parameters)
      .map(([name, value]) => parameterText(name, value, errors[name]))
      .join(', ')}`,
    '',
    ...indented([
      ['line', 'fair', '±', 'odds', 'books', 'off by, points'],
      ...shown.map((line) => {
        const own = quotes.filter((quote) => isOf(line, quote));
        return [
          lineText(line),
          line.fair.toFixed(3),
          line.error.toFixed(3),
          oddsText(line.odds),
          own.length === 0 || line.side === 'draw' ? '' : String(own.length),
          own.length === 0 || line.side === 'draw' ? '' : rangeText(own),
        ];
      }),
    ]),
    '',
    ...(view.isAlone ? [...booksText(quotes), ''] : []),
  ];
}

const indented = (rows: readonly (readonly string[])[]): readonly string[] => aligned(rows).map((row) => `  ${row}`);

const parameterText = (name: string, value: number, error: number | undefined): string =>
  `${name} ${value.toFixed(2)}${error === undefined ? '' : ` ± ${error.toFixed(2)}`}`;

const isOf = ({ type, line, period }: PricedLine, quote: PricedQuote): boolean =>
  quote.type === type && quote.line === line && quote.period === period;
const isQuoted = (line: PricedLine, quotes: readonly PricedQuote[]): boolean =>
  quotes.some((quote) => isOf(line, quote));

function lineText({ type, side, line, period }: PricedLine): string {
  const part = period === 'full' ? '' : `${period} `;
  if (line === null) return `${part}${type} ${side}`;
  return `${part}${type} ${side} ${type === 'spread' && line > 0 ? '+' : ''}${line}`;
}

const oddsText = (odds: number): string => {
  const whole = Math.round(odds);
  return `${whole > 0 ? '+' : ''}${whole}`;
};

const pointsText = (residual: number): string => {
  const points = Math.round(residual * 1000) / 10;
  return `${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`;
};

function rangeText(quotes: readonly PricedQuote[]): string {
  const sizes = quotes.map(({ residual }) => residual).sort((a, b) => a - b);
  const [low = 0, high = 0] = [sizes[0], sizes.at(-1)];
  return quotes.length === 1 ? pointsText(low) : `${pointsText(low)} … ${pointsText(high)}`;
}

/** What each book says: line, price without margin, and how far it is from the model. */
function booksText(quotes: readonly PricedQuote[]): readonly string[] {
  const books = [...new Set(quotes.map(({ book }) => book))];
  const columns = [...new Set(quotes.map(columnOf))];
  return indented([
    ['book', ...columns],
    ...books.map((book) => [
      book,
      ...columns.map((column) => {
        const own = quotes.filter((quote) => quote.book === book && columnOf(quote) === column);
        const [first] = own;
        return first === undefined ? '' : `${quoteText(first)}${own.length > 1 ? ` and ${own.length - 1} more` : ''}`;
      }),
    ]),
  ]);
}

const columnOf = ({ type, period }: PricedQuote): string => `${period === 'full' ? '' : `${period} `}${type}`;
const quoteText = ({ line, price, residual, outlier }: PricedQuote): string =>
  `${line === null ? '' : `${line} `}${price.toFixed(3)} ${pointsText(residual)}${outlier ? ' left out' : ''}`;
