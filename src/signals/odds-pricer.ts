// Prices the matched events of an odds document: `odds:<market>`, the bookmakers' fair probability of the market's
// first side (home, over), and `model:<market>` where a model of each game is fitted. Live and in imports alike.
import { marketId, messageOf, namedGame, ODDS_PREFIX } from '../domain/index.ts';
import { quotesOf } from './book-quotes.ts';
import type { ModelPorts, ModelSettings, PriceGap, SignalPrice } from './feed-models.ts';
import { FeedModels } from './feed-models.ts';
import type { FairPrice, FairSettings } from './odds-fair.ts';
import { fairPrices } from './odds-fair.ts';
import type { MatchedEvent, TeamTable } from './team-match.ts';

export type OddsSettings = FairSettings & {
  readonly table: TeamTable;
  /** Undefined: only the lines that bookmakers quote are priced. */
  readonly model?: Omit<ModelSettings, keyof FairSettings> | undefined;
};

export type OddsPrices = {
  /** By signal name. */
  readonly prices: ReadonlyMap<string, SignalPrice>;
  /** What gives no price, and why, by game. */
  readonly left: readonly string[];
  readonly gaps: readonly PriceGap[];
};

export class OddsPricer {
  readonly #settings: OddsSettings;
  readonly #ports: ModelPorts;
  /** Undefined: `model: line`. */
  readonly #models: FeedModels | undefined;

  constructor(settings: OddsSettings, ports: ModelPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#models = settings.model === undefined ? undefined : new FeedModels({ ...settings, ...settings.model }, ports);
  }

  /** The weights of the bookmakers by league, as learned so far. Undefined without a model. */
  get weights(): FeedModels['weights'] | undefined {
    return this.#models?.weights;
  }

  /** Forgets what was learned of other games. */
  keepOnly(matched: readonly MatchedEvent[]): void {
    this.#models?.keepOnly(matched);
  }

  /**
   * @param readAt when the document was current, Unix ms
   * @param now Unix ms
   */
  price(matched: readonly MatchedEvent[], readAt: number, now: number): OddsPrices {
    const left = new Set<string>();
    const gaps: PriceGap[] = [];
    const prices = new Map<string, SignalPrice>();
    for (const match of matched) {
      const { eventName, start } = match.game;
      const isAlone = matched.every(({ game }) => game === match.game || game.eventName !== eventName);
      const name = isAlone ? eventName : namedGame(eventName, start);
      try {
        const quoted = quotesOf(match.event, this.#settings, readAt, now);
        const fair = fairPrices(quoted, this.#ports.drawOf(match.game), this.#settings, now);
        for (const why of fair.left) left.add(`${name}: ${why}`);
        for (const price of fair.prices) prices.set(...signalOf(match, price));
        const model = this.#models?.price(match, quoted, now);
        for (const why of model?.left ?? []) left.add(`${name}: ${why}`);
        for (const [signal, price] of model?.signals ?? []) prices.set(signal, price);
        gaps.push(...(model?.gaps ?? []));
      } catch (error) {
        // one event must not silence the others
        left.add(`${name}: it cannot be priced: ${messageOf(error)}`);
      }
    }
    return { prices, left: [...left], gaps };
  }
}

/**
 * The signal's name and the price of the market's first side. The feed's home team may be away at the
 * exchange.
 */
function signalOf({ game, isTurned }: MatchedEvent, price: FairPrice): readonly [string, FairPrice] {
  const isOther = isTurned && price.type !== 'total';
  const line = price.line !== undefined && isOther ? 0 - price.line : price.line;
  const name = `${ODDS_PREFIX}${marketId(game.id, price.type, line)}`;
  return [name, isOther ? { ...price, line, p: 1 - price.p } : price];
}
