// The figures of a run while it goes on: what `report` tells of its journal, as far as it can be kept without keeping all of it.
// It is shown every step behind the core, as the report is, and makes its figures by the same functions: the ledger and the page
// have them from here.
import type { FillNews } from '../account/index.ts';
import { runOf } from '../account/index.ts';
import type { Command, CommissionRule, StampedArrival } from '../domain/index.ts';
import { namedGame } from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type { RunningFigures } from './running-figures.ts';
import type { TrackedFill } from './fill-tracker.ts';
import { FillTracker } from './fill-tracker.ts';
import { runningFigures } from './running-figures.ts';
import { RunSums } from './run-sums.ts';
import { orderOfFill } from './own-fill.ts';
import type { RunFill } from './journal-facts.ts';
import { FactsOfRun } from './journal-facts.ts';

/** Fills whose prices are followed at once. */
const MOST_FOLLOWED = 10_000;
/** Those of nobody's orders, which are in no sum. */
const MOST_OTHERS = 500;
/** Lives of orders that are told apart to the millisecond. */
const MOST_LIVES = 10_000;

export type LiveFill = TrackedFill<RunFill>;

export class LiveFigures {
  readonly #instance: string;
  /** Whose orders' fills count. */
  run: string | undefined;
  readonly #fills: FillTracker<RunFill>;
  readonly #others = new FillTracker<RunFill>(MOST_OTHERS);
  readonly #facts: FactsOfRun;
  readonly #sums = new RunSums();
  /** Of games and markets. */
  readonly #names = new Map<string, string>();
  #changed: readonly LiveFill[] = [];
  #t = 0;

  constructor({
    instance,
    run,
    commission,
  }: {
    readonly instance: string;
    readonly run?: string | undefined;
    readonly commission: CommissionRule;
  }) {
    this.#instance = instance;
    this.run = run;
    this.#fills = new FillTracker(MOST_FOLLOWED, this.#isOfRun);
    this.#fills.commission = commission;
    this.#facts = new FactsOfRun(instance, this.#fills, { mostLives: MOST_LIVES });
  }

  /** Behind the core, in the order in which `report` takes a journal in. */
  step({ t }: Pick<StampedArrival, 't'>, commands: readonly Command[], core: Core): void {
    this.#t = t;
    for (const fills of [this.#fills, this.#others]) fills.advance(t, core);
    for (const news of core.news) this.#applyNews(news, t, core);
    this.#facts.step({ t }, commands, core);
    const changed = this.#fills.takeChanged();
    for (const fill of changed) if (this.#isOfRun(fill)) this.#count(fill);
    const others = this.#others.takeChanged();
    this.#changed = others.length === 0 ? changed : [...changed, ...others];
  }

  #applyNews(news: FillNews, t: number, core: Core): void {
    if (news.type === 'fill') {
      const { isOwn } = orderOfFill(news.fill, this.#instance);
      this.#facts.apply(news.fill, t, core, isOwn ? this.#fills : this.#others);
      return;
    }
    if (news.type === 'moved') {
      for (const fills of [this.#fills, this.#others]) this.#facts.move(news, core, fills);
      return;
    }
    const { txId } = news;
    const [profit, commission] = news.type === 'settled' ? [news.profit, news.commission] : [undefined, 0];
    for (const fills of [this.#fills, this.#others]) fills.settle(txId, profit);
    // of one that is followed no more
    this.#sums.settle(txId, profit, commission);
  }

  #count(fill: LiveFill): void {
    this.#sums.put(fill.txId, fill);
    const { market, gameId, eventName, start } = fill;
    if (this.#names.has(market.id)) return;
    const game = namedGame(eventName, start);
    this.#names.set(gameId, game);
    this.#names.set(market.id, `${game} ${market.type} ${market.line ?? ''}`.trim());
  }

  /** Of a game or a market with own fills, with the start of the game. */
  nameOf = (key: string): string | undefined => this.#names.get(key);

  /** Its order is: what former ones placed is their merit. */
  #isOfRun = ({ ref }: RunFill): boolean => ref !== undefined && runOf(ref) === this.run;

  /** The fills of which something became known in the newest step; those of ours have a role. */
  get changed(): readonly LiveFill[] {
    return this.#changed;
  }

  get sums(): RunSums {
    for (const fill of this.#fills.shareCommission()) this.#count(fill);
    return this.#sums;
  }

  /** As of the newest step. */
  get figures(): RunningFigures {
    return runningFigures(this.#facts.at(this.#t), this.sums);
  }

  get t(): number {
    return this.#t;
  }

  /** The run is over: what rests yet is counted. */
  end(core: Core): void {
    this.#facts.end(this.#t, core, []);
  }
}
