// From intents to targets: what should rest in each slot of one market now. Prices go onto the ladder in the owner's
// favour and behind the others' best offer (every quote is `post`); slots keep their live order by key, else by nearest rung.
import type {
  Cents,
  Consensus,
  Ladder,
  Market,
  Quote,
  QuoteIntent,
  Rung,
  Side,
  SlotId,
  StrategyId,
} from '../domain/index.ts';
import { crosses, oppositeSide, rungOfQuote, sideIndex, slotId } from '../domain/index.ts';
import type { Denial, RiskLimits } from '../risk/index.ts';
import type { Freshness } from '../mirror/index.ts';
import { checkQuote } from '../risk/index.ts';
import type { OwnOrder } from './own-order.ts';

export type Target = {
  readonly slot: SlotId;
  readonly strategy: StrategyId;
  readonly key: string;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  readonly risk: Cents;
  /** The others' offers on this side. */
  readonly queue: Ladder;
  /** Sequence number of the input that brought the intent. */
  readonly intent: number;
  /** The reason that the strategy gave with it. */
  readonly said?: string | undefined;
  /** Why nothing may rest here now; the slot is still wanted. */
  readonly denial: Denial | undefined;
};

export type TargetContext = {
  readonly market: Market;
  /** The others' offers, first and second side. */
  readonly others: readonly [Ladder, Ladder];
  readonly freshness: readonly [Freshness, Freshness];
  readonly consensus: Consensus | undefined;
  readonly limits: RiskLimits;
  /** Points of odds between two own prices. */
  readonly oddsStep: number;
  readonly live: ReadonlySet<OwnOrder>;
  /** Denies everything when set: gate closed, feeds down, stopping, mode. */
  readonly closed: Denial | undefined;
  /** Denies one strategy, or one side, here. */
  readonly denialOf: (strategy: StrategyId, side: Side) => Denial | undefined;
};

/** Targets of one market from all strategies' intents, in the order of the YAML file: where they cross, the first wins. */
export function targetsOf(
  intents: readonly {
    readonly strategy: StrategyId;
    readonly intent: QuoteIntent;
    readonly seq: number;
  }[],
  context: TargetContext,
): Target[] {
  const targets: Target[] = [];
  for (const { strategy, intent, seq } of intents) {
    for (const side of context.market.sides) {
      const priced: Priced[] = [];
      const [across] = context.others[sideIndex(oppositeSide(side))];
      for (const quote of intent.quotes) {
        const rung = quote.side === side ? rungOfQuote(quote, across?.rung, context.oddsStep) : undefined;
        if (rung !== undefined) priced.push({ quote, rung });
      }
      for (const { key, slot, quote, rung } of withKeys(priced, strategy, side, context)) {
        const wanted = { market: context.market, side, rung, risk: quote.risk };
        const denial =
          context.closed ??
          context.denialOf(strategy, side) ??
          checkQuote(wanted, context, context.limits) ??
          ownCross(wanted, targets);
        targets.push({
          slot,
          strategy,
          key,
          market: wanted.market,
          side,
          rung,
          risk: quote.risk,
          queue: context.others[sideIndex(side)],
          intent: seq,
          said: intent.reason,
          denial,
        });
      }
    }
  }
  return targets;
}

function ownCross(
  wanted: { readonly side: Side; readonly rung: Rung },
  targets: readonly Target[],
): Denial | undefined {
  const other = targets.find(
    (one) =>
      one.denial === undefined && one.side === oppositeSide(wanted.side) && crosses(one.rung, wanted.rung),
  );
  return other === undefined
    ? undefined
    : { control: 'own-cross', reason: `it would cross the quote of ${other.strategy} on ${other.side}` };
}

type Priced = { readonly quote: Quote; readonly rung: Rung };

type Keyed = Priced & { readonly key: string; readonly slot: SlotId };

/** Gives each quote its key: its own, or that of the nearest live order without a quote, or the next free number. */
function withKeys(
  priced: readonly Priced[],
  strategy: StrategyId,
  side: Side,
  { live, market }: Pick<TargetContext, 'live' | 'market'>,
): readonly Keyed[] {
  const slotOf = (key: string): SlotId => slotId(strategy, market, side, key);
  const isCandidate = (order: OwnOrder): boolean =>
    order.strategy === strategy && order.side === side && isAutoKey(order.key);
  const [only] = priced;
  if (only === undefined) return [];
  // the usual case: one quote
  if (priced.length === 1 && only.quote.key === undefined) {
    let nearest: OwnOrder | undefined;
    for (const order of live) {
      if (!isCandidate(order)) continue;
      const isNearer =
        nearest === undefined || Math.abs(only.rung - order.rung) < Math.abs(only.rung - nearest.rung);
      if (isNearer) nearest = order;
    }
    const { key, slot } = nearest ?? { key: '#0', slot: slotOf('#0') };
    return [{ quote: only.quote, rung: only.rung, key, slot }];
  }
  const keyed: Keyed[] = [];
  const used = new Set<string>();
  const open: Priced[] = [];
  for (const one of priced) {
    const key = one.quote.key;
    if (key === undefined) open.push(one);
    else if (!used.has(key)) {
      used.add(key);
      keyed.push({ ...one, key, slot: slotOf(key) });
    }
  }
  if (open.length === 0) return keyed;
  const candidates: { readonly one: Priced; readonly key: string; readonly distance: number }[] = [];
  for (const order of live) {
    if (!isCandidate(order)) continue;
    for (const one of open)
      candidates.push({ one, key: order.key, distance: Math.abs(one.rung - order.rung) });
  }
  candidates.sort((a, b) => a.distance - b.distance);
  const keyOf = new Map<Priced, string>();
  for (const { one, key } of candidates) {
    if (keyOf.has(one) || used.has(key)) continue;
    keyOf.set(one, key);
    used.add(key);
  }
  let next = 0;
  for (const one of open) {
    let key = keyOf.get(one);
    if (key === undefined) {
      while (used.has(`#${next}`)) next += 1;
      key = `#${next}`;
      used.add(key);
    }
    keyed.push({ ...one, key, slot: slotOf(key) });
  }
  return keyed;
}

/** Strategies cannot choose such keys, so they never meet theirs. */
const isAutoKey = (key: string): boolean => key.startsWith('#');
