// Makes a market in whole games. One score distribution prices every line: that of the odds feed, else that of the
// exchange's own book; `fair:<market>` replaces it for a market. Each quote stands off the reservation price, which
// counts all that is held in the game, by the distance at which takers pay most for the drift that follows them. All
// quotes of the game are pulled after a jump, or when a book loses its price. Two that cannot both win cost at most 1.
import { mergeMap, tap } from 'rxjs';
import { z } from 'zod';
import { jumpGuard } from 'oddsmaker/indicators';
import type { GameView, MarketId, MarketView, Quote, QuoteIntent, Regime } from 'oddsmaker/strategy';
import {
  centsOfDollars,
  consensusOf,
  defineStrategy,
  dollarAmount,
  dollars,
  dollarsOfCents,
  inventoryOf,
  microsOfCents,
  quoteTable,
  showAgain,
  withoutRepeats,
} from 'oddsmaker/strategy';
import { aversion, bestDistance, excessOver, expit, logit, quoteMarketOf } from 'oddsmaker/pricing';

const schema = z.object({
  risk: dollars.describe('largest stake of a quote, dollars'),
  bankroll: dollarAmount.prefault(10_000).describe('what stakes are a share of, dollars'),
  kelly: z.number().gt(0).max(1).default(0.25).describe('share of the stake that makes a bankroll grow fastest'),
  leanAt: dollarAmount.prefault(500).describe('difference held at which an even price moves by leanBy, dollars'),
  leanBy: z.number().min(0).max(0.2).default(0.02).describe('that move, probability'),
  minEdge: z.number().min(0).max(0.2).default(0.004).describe('least distance from the reservation price, probability'),
  distance: z.number().gt(0).max(5).default(1).describe('factor of the distance that the table of quotes asks for'),
  jump: z.number().min(0.001).max(0.5).default(0.01).describe('least move of a price in 5 s that pulls, probability'),
  sigmas: z.number().min(1).max(20).default(3).describe('and in deviations of such moves'),
  coolOff: z.number().min(1).max(600).default(5).describe('how long quotes stay away after a jump, seconds'),
  wide: z.number().min(1).max(5).default(1.5).describe('factor of the distance for coolOff after that'),
  quotes: quoteTable.optional().describe('{ file: quotes.json }: what fit-quotes wrote; without it a prior'),
});
type Params = z.output<typeof schema>;

export default defineStrategy({
  name: 'fair-game',
  params: schema,
  scope: 'game',
  create:
    ({ params, scheduler }) =>
    (views$) => {
      const game = new Game(params);
      return views$.pipe(
        tap(({ market, sides: [first, second] }) =>
          game.guard.see(market.id, consensusOf(first.offers, second.offers)?.p, scheduler.now()),
        ),
        showAgain(() => game.guard.dues(scheduler.now()), scheduler),
        mergeMap((view) => game.intents(view, scheduler.now())),
        withoutRepeats(views$),
      );
    },
});

type Priced = MarketView['market'] & Pick<Quote, 'side'> & { readonly probability: number; readonly stake: number };
type Wanted = {
  readonly view: MarketView;
  readonly quotes: readonly Priced[];
  readonly fair: number | undefined;
  readonly given: number | undefined;
};

/** The time of a jump; that of a pull when a book loses its price; and how far from 0 and 1 a price must be. */
const [JUMP_MS, GONE_MS, PINNED] = [5000, 3000, 0.03];

class Game {
  readonly #params: Params;
  readonly #gamma: number;
  readonly guard: ReturnType<typeof jumpGuard>;
  readonly #wanted = new Map<MarketId, Wanted>();
  #model: GameView['distribution'];
  #regime: Regime | undefined;

  constructor(params: Params) {
    this.#params = params;
    const [{ sigmas, jump: least }, coolOff] = [params, params.coolOff * 1000];
    this.guard = jumpGuard({ sigmas, least, window: JUMP_MS, coolOff, gone: GONE_MS });
    const leanAt = dollarsOfCents(params.leanAt);
    this.#gamma = leanAt > 0 ? aversion({ leanAt, points: 100 * params.leanBy }) : 0;
  }

  /** The intents that changed: of the market of this view, or of all when prices or holdings changed. */
  intents(view: GameView, now: number): readonly QuoteIntent[] {
    const model = view.distribution;
    const regime = this.#regimeOf(view, now);
    const isHeldAnew = this.#wanted.get(view.market.id)?.view.position !== view.position;
    // a signal shows the game once, whichever market it is for
    const isGivenAnew = [...this.#wanted].some(([id, { given }]) => given !== view.signals.get(`fair:${id}`));
    const isAll = isHeldAnew || isGivenAnew || model !== this.#model || regime !== this.#regime;
    [this.#model, this.#regime] = [model, regime];
    const changed = isAll ? view.markets : [view];
    for (const own of changed) this.#wanted.set(own.market.id, this.#quotesOf(view, own, regime));
    const shown = isAll
      ? [...this.#wanted.values()]
      : changed.flatMap(({ market }) => this.#wanted.get(market.id) ?? []);
    return shown.map((wanted) => this.#intentOf(wanted, regime));
  }

  #regimeOf({ room }: GameView, now: number): Regime {
    const state = this.guard.stateAt(now);
    return state !== 'pulled' && room.game < microsOfCents(this.#params.risk) ? 'reduce-only' : state;
  }

  #quotesOf(view: GameView, own: MarketView, regime: Regime): Wanted {
    const { market, game } = own;
    const { distance: factor, minEdge, wide, kelly, bankroll, risk } = this.#params;
    const [first] = market.sides;
    const model = view.fair(market, first);
    const given = view.signals.get(`fair:${market.id}`);
    const fair = given ?? model;
    if (fair === undefined || model === undefined || fair < PINNED || fair > 1 - PINNED || regime === 'pulled')
      return { view: own, quotes: [], fair, given };
    const group = { ...market, league: game.league, phase: game.live ? 'inplay' : 'prematch' } as const;
    const { k, a } = quoteMarketOf(this.#params.quotes, group);
    const asked = (bestDistance(k, a) / 100) * factor * (regime === 'wide' ? wide : 1);
    const inventory = inventoryOf(own.position);
    // priced from the book alone, no quote goes beyond what its own market says now: the model follows it by seconds
    const isOutside = given !== undefined || view.signals.get(`model:${market.id}`) !== undefined;
    const current = isOutside ? fair : consensusOf(own.sides[0].offers, own.sides[1].offers)?.p;
    if (current === undefined) return { view: own, quotes: [], fair, given };
    const shifts = [fair, current].map((p) => logit(p) - logit(model));
    const quotes = market.sides.flatMap((side): readonly Priced[] => {
      const adds = side === first ? inventory > 0 : inventory < 0;
      const reserve = view.reserve(market, side, this.#gamma);
      if (reserve === undefined || (regime === 'reduce-only' && (adds || inventory === 0))) return [];
      const price = expit(logit(reserve) + Math.min(...shifts.map((shift) => (side === first ? shift : -shift))));
      const probability = price - Math.max(minEdge, asked);
      const best = (kelly * dollarsOfCents(bankroll) * (price - probability)) / (1 - probability);
      const stake = Math.min(best, dollarsOfCents(risk));
      return probability < PINNED ? [] : [{ ...market, side, probability, stake }];
    });
    return { view: own, quotes, fair, given };
  }

  #intentOf({ view: { market }, quotes, fair }: Wanted, regime: Regime): QuoteIntent {
    const offered = [...this.#wanted.values()].flatMap((wanted) => wanted.quotes);
    const priced = quotes.map((quote): Quote => ({
      side: quote.side,
      risk: centsOfDollars(Math.round(quote.stake * 100) / 100),
      probability: Math.round((quote.probability - excessOver(quote, offered)) * 1e4) / 1e4,
    }));
    const reason = regime === 'pulled' ? this.guard.why : fair === undefined ? 'no price' : `fair ${fair.toFixed(4)}`;
    const shown = fair === undefined || fair < PINNED || fair > 1 - PINNED ? 'closed' : regime;
    return { market: market.id, quotes: priced, reason, regime: shown, ...(fair === undefined ? {} : { fair }) };
  }
}
