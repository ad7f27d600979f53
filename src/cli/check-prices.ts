// What `check` shows of prices: the table of a game, and how much the choice of a devig method moves.
import { existsSync, readFileSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import type { GameMessage } from '../domain/index.ts';
import { Sports, userText } from '../domain/index.ts';
import type { DevigMethod } from '../pricing/index.ts';
import { canDevig, devig, DEVIG_METHODS } from '../pricing/index.ts';
import type { Priced, PriceSettings } from '../signals/index.ts';
import { priceBooks, priceEvents, readOddsFile } from '../signals/index.ts';
import { bookPrices } from './price-book.ts';
import { gameText } from './price-text.ts';

/** A favourite at −800, where the methods differ most among the games of an evening; and an even game. */
const EXAMPLES = [
  { name: 'a favourite at -800 and +550', decimals: [1.125, 6.5] },
  { name: 'an even game at -110', decimals: [1.909, 1.909] },
] as const;

/** How far the other methods move the fair price of the first side from that of the chosen one. */
export function devigRows(method: DevigMethod): readonly string[] {
  return EXAMPLES.map(({ name, decimals }) => {
    const fair = fairBy(decimals, method) ?? Number.NaN;
    const others = DEVIG_METHODS.flatMap((other) => {
      const moved = (fairBy(decimals, other) ?? Number.NaN) - fair;
      return other === method || !(Math.abs(moved) >= 0.0005) ? [] : [`${other} ${pointsText(moved)}`];
    });
    const moves = others.length === 0 ? 'all methods agree' : `instead of it, points: ${others.join(', ')}`;
    return `${name}: ${fair.toFixed(4)}; ${moves}`;
  });
}

const fairBy = (decimals: readonly number[], method: DevigMethod): number | undefined =>
  canDevig(decimals, method) ? devig(decimals, method).probabilities[0] : undefined;
const pointsText = (moved: number): string => `${moved > 0 ? '+' : '-'}${Math.abs(moved * 100).toFixed(2)}`;

/**
 * The prices of one game: the first of the odds file, where there is one; else of the sample's book.
 * @param sample a game of the sample tape. Undefined when the sample is not installed
 * @param all all lines, not only those near the bookmakers'
 */
export function pricesShown(loaded: LoadedConfig, sample: GameMessage | undefined, all: boolean): readonly string[] {
  const { signals, sports, exchange } = loaded.config;
  const { odds } = signals;
  const settings: PriceSettings = {
    method: odds?.devig ?? 'shin',
    weights: odds?.books ?? {},
    deviations: odds?.deviations ?? {},
  };
  const path = odds?.file === undefined ? undefined : loaded.resolve(odds.file);
  if (path !== undefined && existsSync(path)) {
    const file = readOddsFile(userText(readFileSync(path)));
    if (typeof file === 'string') return [`Prices of ${path}: ${file}`];
    return shown(`Prices of ${path}, with every bookmaker`, priceEvents(file, settings), all);
  }
  if (sample === undefined) return [];
  const table = new Sports(sports);
  const books = bookPrices([sample], exchange.profile);
  return shown(
    'Prices of a book of the sample tape',
    priceBooks(books, (game) => table.sportOf(game), settings),
    all,
  );
}

function shown(title: string, { games: [first], faults }: Priced, all: boolean): readonly string[] {
  if (first === undefined) return [`${title}: none. ${faults[0] ?? 'There is no game.'}`];
  return [`${title} (\`price\` shows all games):`, ...gameText(first, { all, isAlone: true }).slice(0, -1)];
}
