// The quotes that a strategy would place on books of the sample tape, so that the operator sees the effect of
// its parameters.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { AmericanOdds, BookLadder, GameMessage, Ladder } from '../domain/index.ts';
import { dollarsOfMicros, messageOf, moneyText, oddsOf, probabilityOf } from '../domain/index.ts';
import { readTape } from '../tape/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import type { MarketTest, RestingQuote, Row } from '../strategy/testkit.ts';
import { StrategyTest } from '../strategy/testkit.ts';
import { bookPerspectiveOf, DEFAULT_PROFILE, parseLeagueReply } from '../wire/index.ts';
import { ROOT } from '../files/index.ts';

const SAMPLE = join(ROOT, 'examples', 'sample.ndjson.zst');

export type Preview = {
  readonly lines: readonly string[];
  /** Stakes of all quotes, dollars. */
  readonly stakes: readonly number[];
};

/** The first game of the sample tape, with its books. Undefined when the sample is not installed. */
export async function sampleGame(): Promise<GameMessage | undefined> {
  if (!existsSync(SAMPLE)) return undefined;
  for await (const { ns, data } of readTape(SAMPLE)) {
    if (ns !== 'rest') continue;
    const book = parseLeagueReply(JSON.parse(data), bookPerspectiveOf(DEFAULT_PROFILE));
    return book.ok ? book.value.games[0] : undefined;
  }
  return undefined;
}

/**
 * The quotes of a strategy on the main lines of one game: with no position, and with the largest position on
 * the first side that risk.maxGameLoss allows.
 */
export function previewOf(
  { strategy, params }: Pick<StrategyEntry, 'strategy'> & { readonly params: unknown },
  game: GameMessage,
  { markets, risk }: Pick<Config, 'markets' | 'risk'>,
): Preview {
  const stakes: number[] = [];
  const lines = markets.types.flatMap((type): string[] => {
    const line = type === 'spread' ? game.mainHomeSpread : type === 'total' ? game.mainTotal : undefined;
    if (line === null || (type !== 'moneyline' && line === undefined)) return [];
    const name = `${type}${line === undefined ? '' : ` ${line}`}`;
    const [first, second] = type === 'total' ? (['over', 'under'] as const) : (['home', 'away'] as const);
    try {
      const test = new StrategyTest(strategy, params, {
        ...(game.live === undefined ? {} : { live: game.live }),
      });
      const market = test.market(type, line);
      market.book({ [first]: rowsOf(game, type, first, line), [second]: rowsOf(game, type, second, line) });
      const flat = quotesText(market, stakes);
      market.hold(risk.maxGameLoss, -risk.maxGameLoss);
      return [
        `${name.padEnd(16)} ${flat}`,
        `${''.padEnd(16)} with ${moneyText(risk.maxGameLoss, 0)} on ${first}: ${quotesText(market, stakes)}`,
      ];
    } catch (error) {
      return [`${name.padEnd(16)} it would be disabled: ${messageOf(error)}`];
    }
  });
  return { lines, stakes };
}

function quotesText({ quotes, reason, withoutOdds }: MarketTest, stakes: number[]): string {
  stakes.push(...quotes.map(({ risk }) => risk));
  const left = withoutOdds.map(
    (quote) => `${quote.side} at ${'probability' in quote ? quote.probability : quote.odds}`,
  );
  if (left.length > 0)
    return `${quotes.length === 0 ? 'nothing' : pricedText(quotes)}; there are no odds for ${left.join(', ')}`;
  return quotes.length === 0 ? `nothing${reason === undefined ? '' : ` (${reason})`}` : pricedText(quotes);
}

function pricedText(quotes: readonly RestingQuote[]): string {
  const quoteTexts = quotes.map(({ side, odds, risk }) => `${side} ${odds > 0 ? '+' : ''}${odds} ${moneyText(risk)}`);
  const half = halfSpreadOf(quotes);
  return `${quoteTexts.join(', ')}${half === undefined ? '' : `: half spread ${(half * 100).toFixed(1)} %`}`;
}

/**
 * Half the spread between the best quotes of both sides, as probability. Undefined when a side has no quote.
 */
function halfSpreadOf(quotes: readonly RestingQuote[]): number | undefined {
  const best = new Map<string, number>();
  for (const { side, odds } of quotes)
    best.set(side, Math.max(best.get(side) ?? 0, probabilityOf(odds as AmericanOdds)));
  const [firstPrice, other] = [...best.values()];
  return firstPrice === undefined || other === undefined ? undefined : (1 - firstPrice - other) / 2;
}

/**
 * The rows of one side. The sample shows books from the offerer's view: a spread has the line of its own
 * side.
 */
function rowsOf(
  { ladders }: GameMessage,
  type: BookLadder['type'],
  side: BookLadder['side'],
  line: number | undefined,
): readonly Row[] {
  const own = type === 'spread' && side === 'away' && line !== undefined ? 0 - line : line;
  const found: Ladder =
    ladders.find((ladder) => ladder.type === type && ladder.side === side && ladder.line === own)?.offers ?? [];
  return found.map(({ rung, untaken }) => [oddsOf(rung), dollarsOfMicros(untaken)]);
}
