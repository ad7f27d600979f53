// The quotes that a strategy would place on books of the sample tape, so that the operator sees the effect of
// its parameters.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { AmericanOdds, BookLadder, GameMessage, Ladder, MarketType, Side } from '../domain/index.ts';
import { dollarsOfMicros, messageOf, moneyText, oddsOf, probabilityOf, sidesOf } from '../domain/index.ts';
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

type Previewed = Pick<StrategyEntry, 'strategy'> & { readonly params: unknown };
type PreviewConfig = Pick<Config, 'markets' | 'risk'>;

/**
 * The quotes of a strategy on the main lines of one game: with no position, and with the largest position on
 * the first side that risk.maxGameLoss allows. A strategy of whole games sees all lines at once, so each position is
 * shown with what it does to every line.
 * @param all for a strategy of whole games, a position in each market in turn; otherwise only in the first
 */
export const previewOf = (previewed: Previewed, game: GameMessage, config: PreviewConfig, all = false): Preview =>
  previewed.strategy.scope === 'game'
    ? gamePreview(previewed, game, config, all)
    : marketPreviews(previewed, game, config);

function marketPreviews(previewed: Previewed, game: GameMessage, config: PreviewConfig): Preview {
  const { maxGameLoss } = config.risk;
  const stakes: number[] = [];
  const lines = mainLines(game, config).flatMap((main): string[] => {
    try {
      const market = shownIn(testOf(previewed, game), game, main);
      const flat = quotesText(market, stakes);
      market.hold(maxGameLoss, -maxGameLoss);
      return [
        named(main.name, flat),
        named('', `with ${moneyText(maxGameLoss, 0)} on ${main.first}: ${quotesText(market, stakes)}`),
      ];
    } catch (error) {
      return [named(main.name, `it would be disabled: ${messageOf(error)}`)];
    }
  });
  return { lines, stakes };
}

function gamePreview(previewed: Previewed, game: GameMessage, config: PreviewConfig, all: boolean): Preview {
  const { maxGameLoss } = config.risk;
  const stakes: number[] = [];
  try {
    const test = testOf(previewed, game);
    const shown = mainLines(game, config).map((main) => ({ ...main, market: shownIn(test, game, main) }));
    const texts = (): readonly string[] => shown.map(({ market }) => quotesText(market, stakes));
    const flat = texts();
    const lines = shown.map(({ name }, index) => named(name, flat[index] ?? ''));
    for (const { name: heldIn, first, market } of all ? shown : shown.slice(0, 1)) {
      market.hold(maxGameLoss, -maxGameLoss);
      const held = texts();
      market.hold(0, 0);
      lines.push(`with ${moneyText(maxGameLoss, 0)} on ${first} of the ${heldIn}:`);
      lines.push(
        ...shown.map(({ name }, index) =>
          named(`  ${name}`, held[index] === flat[index] ? 'the same' : (held[index] ?? '')),
        ),
      );
    }
    return { lines, stakes };
  } catch (error) {
    return { lines: [`it would be disabled: ${messageOf(error)}`], stakes };
  }
}

const named = (name: string, text: string): string => `${name.padEnd(16)} ${text}`;

const testOf = ({ strategy, params }: Previewed, { live }: GameMessage) =>
  new StrategyTest(strategy, params, live === undefined ? {} : { live });

type MainLine = {
  readonly name: string;
  readonly type: MarketType;
  readonly line: number | undefined;
  readonly first: Side;
  readonly second: Side;
};

/** The main lines of a game, of the types that the configuration quotes. */
const mainLines = ({ mainHomeSpread, mainTotal }: GameMessage, { markets }: PreviewConfig): readonly MainLine[] =>
  markets.types.flatMap((type) => {
    const line = type === 'spread' ? mainHomeSpread : type === 'total' ? mainTotal : undefined;
    if (line === null || (type !== 'moneyline' && line === undefined)) return [];
    const [first, second] = sidesOf(type);
    return [{ name: `${type}${line === undefined ? '' : ` ${line}`}`, type, line, first, second }];
  });

/** The market of a line in a test, with its book. */
function shownIn(
  test: ReturnType<typeof testOf>,
  game: GameMessage,
  { type, line, first, second }: MainLine,
): MarketTest {
  const market = test.market(type, line);
  market.book({ [first]: rowsOf(game, type, first, line), [second]: rowsOf(game, type, second, line) });
  return market;
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
