// What a strategy would quote on books of the sample tape that ships: to see whether its parameters mean what was meant.
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
import { ROOT } from '../setup/index.ts';

const SAMPLE = join(ROOT, 'examples', 'sample.ndjson.zst');

export type Preview = {
  readonly lines: readonly string[];
  /** Stakes of all quotes, dollars. */
  readonly stakes: readonly number[];
};

/** The books that the sample begins with, a game; undefined where the sample did not come along. */
export async function sampleGame(): Promise<GameMessage | undefined> {
  if (!existsSync(SAMPLE)) return undefined;
  for await (const { ns, data } of readTape(SAMPLE)) {
    if (ns !== 'rest') continue;
    const book = parseLeagueReply(JSON.parse(data), bookPerspectiveOf(DEFAULT_PROFILE));
    return book.ok ? book.value.games[0] : undefined;
  }
  return undefined;
}

/** On the main lines of one game: with nothing held, and with as much held on the first side as a game may lose. */
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
      return [`${name.padEnd(16)} it would be taken off: ${messageOf(error)}`];
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
  const told = quotes.map(({ side, odds, risk }) => `${side} ${odds > 0 ? '+' : ''}${odds} ${moneyText(risk)}`);
  const half = halfSpreadOf(quotes);
  return `${told.join(', ')}${half === undefined ? '' : `: half spread ${(half * 100).toFixed(1)} %`}`;
}

/** Of the best quote on each side: how far each is from the middle of the two, as probability. */
function halfSpreadOf(quotes: readonly RestingQuote[]): number | undefined {
  const best = new Map<string, number>();
  for (const { side, odds } of quotes)
    best.set(side, Math.max(best.get(side) ?? 0, probabilityOf(odds as AmericanOdds)));
  const [one, other] = [...best.values()];
  return one === undefined || other === undefined ? undefined : (1 - one - other) / 2;
}

/** The sample shows books from the offerer's view: a spread by the line of each side. */
function rowsOf(
  { ladders }: GameMessage,
  type: BookLadder['type'],
  side: BookLadder['side'],
  line: number | undefined,
): readonly Row[] {
  const own = type === 'spread' && side === 'away' && line !== undefined ? 0 - line : line;
  const found: Ladder = ladders.find((one) => one.type === type && one.side === side && one.line === own)?.offers ?? [];
  return found.map(({ rung, untaken }) => [oddsOf(rung), dollarsOfMicros(untaken)]);
}
