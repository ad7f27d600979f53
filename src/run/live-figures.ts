// The figures of a run while it runs: those of `report` that need bounded memory only, folded from the same
// events by the same functions. The ledger and the page read them here.
import { runOf } from '../account/index.ts';
import type { CommissionRule, RunEvent } from '../domain/index.ts';
import { namedGame } from '../domain/index.ts';
import type { RunFill } from './run-fill.ts';
import { FillBook } from './fill-book.ts';
import { RunFold } from './run-fold.ts';
import { RunSums } from './run-sums.ts';
import type { RunStatus } from './run-json.ts';
import type { RunningFigures } from './running-figures.ts';
import { runningFigures } from './running-figures.ts';

/** Most own fills that are kept one by one. */
const MOST_KEPT = 10_000;
/** Most kept fills of other parties' orders, which are in no sum. */
const MOST_OTHERS = 500;
/** Most different order lifetimes kept to the millisecond. */
const MOST_LIFETIMES = 10_000;

const NONE: readonly RunFill[] = [];

export class LiveFigures {
  /** The run whose orders' fills count. */
  run: string | undefined;
  readonly #fills: FillBook;
  readonly #others = new FillBook(MOST_OTHERS);
  readonly #fold: RunFold;
  readonly #sums = new RunSums();
  /** Names of games and markets by id. */
  readonly #names = new Map<string, string>();
  #changed = NONE;
  #t = 0;

  constructor({ run, commission }: { readonly run?: string | undefined; readonly commission: CommissionRule }) {
    this.run = run;
    this.#fills = new FillBook(MOST_KEPT, this.#isOfRun);
    this.#fills.commission = commission;
    this.#fold = new RunFold(this.#fills, ({ isOwn }) => isOwn, {
      mostLifetimes: MOST_LIFETIMES,
      orders: false,
      paths: false,
    });
  }

  /** Applies the events of one step at `t`, Unix ms. */
  step(t: number, events: readonly RunEvent[]): void {
    this.#t = t;
    this.#changed = NONE;
    if (events.length === 0) return;
    this.#fold.applyEvents(t, events);
    for (const event of events) this.#apply(event, t);
    const changed = this.#fills.takeChanged();
    for (const fill of changed) if (this.#isOfRun(fill)) this.#count(fill);
    const others = this.#others.takeChanged();
    this.#changed = others.length === 0 ? changed : [...changed, ...others];
  }

  #apply(event: RunEvent, t: number): void {
    if (event.type === 'Fill') {
      if (!event.isOwn) this.#others.addFill(event, t);
      return;
    }
    this.#others.applyEvent(event);
    // also for a fill that is no longer kept
    if (event.type === 'Settled') this.#sums.settle(event.txId, event.profit, event.commission);
    else if (event.type === 'Unsettled') this.#sums.settle(event.txId, undefined);
  }

  #count(fill: RunFill): void {
    this.#sums.put(fill.txId, fill);
    const { market, gameId, eventName, start } = fill;
    if (this.#names.has(market.id)) return;
    const game = namedGame(eventName, start);
    this.#names.set(gameId, game);
    this.#names.set(market.id, `${game} ${market.type} ${market.line ?? ''}`.trim());
  }

  /** Name of a game or market with own fills, with the start of the game. */
  nameOf = (key: string): string | undefined => this.#names.get(key);

  /** True when this run placed its order. Fills of former runs' orders are credited to those runs. */
  #isOfRun = ({ ref }: Pick<RunFill, 'ref'>): boolean => ref !== undefined && runOf(ref) === this.run;

  /** The fills that changed in the newest step; own fills have a role. */
  get changed(): readonly RunFill[] {
    return this.#changed;
  }

  get sums(): RunSums {
    for (const fill of this.#fills.shareCommission()) this.#count(fill);
    return this.#sums;
  }

  /** Figures as of the newest sample. */
  get figures(): RunningFigures {
    return runningFigures(this.#fold.now, this.sums);
  }

  /** The status in `run --json`, as of the newest sample. */
  get status(): RunStatus {
    return this.#fold.status;
  }

  get t(): number {
    return this.#t;
  }

  /** Ends the run: orders that still rest are counted. */
  endRun(): void {
    this.#fold.endRun(this.#t, []);
  }
}
