// `oddsmaker report --activity`: what the operator of the exchange sees of the account, from the events and
// the books of a journal.
import type { Arrival, EventOf, OrderRef, RunCounts, RunEvent, StampedArrival, TxId } from '../domain/index.ts';
import { consensusOf, EXIT, moneyText, printable } from '../domain/index.ts';
import { headerOf, timeOf } from '../journal/index.ts';
import type { ActivityReport } from '../report/index.ts';
import { Activity } from '../report/index.ts';
import { readSoundEvents } from '../run/index.ts';
import { BookFollower, decodeTape } from '../tape/index.ts';
import { parsePositionUpdate } from '../wire/index.ts';

/** Prints the activity of a journal. @throws OddsmakerError JOURNAL_INVALID */
export async function activity(file: string, json: boolean): Promise<number> {
  const header = await headerOf(file);
  const fold = new ActivityFold();
  await readPrices(file, fold.activity);
  let [first, last]: (StampedArrival | undefined)[] = [];
  const { tear } = await readSoundEvents(file, header, 'reading', (input, events) => {
    first ??= input;
    last = input;
    fold.applyStep(input, events);
  });
  const report = fold.report;
  const timeText = (input: StampedArrival | undefined): string | null => (input === undefined ? null : timeOf(input));
  const journal = { file, from: timeText(first), to: timeText(last), torn: tear !== undefined };
  process.stdout.write(json ? `${JSON.stringify({ journal, ...report })}\n` : textOf(report, journal));
  return EXIT.done;
}

/**
 * Feeds the activity with the consensus of the others in each market whenever its book changes. A journal
 * also reads as a tape.
 */
async function readPrices(file: string, collector: Activity): Promise<void> {
  const books = new BookFollower();
  const silent = (): void => undefined;
  for await (const events of decodeTape(file, { torn: silent, unreadable: silent }))
    for (const event of events)
      for (const { books: marketBooks } of books.applyEvent(event)) {
        const [first, second] = marketBooks.ladders.map((ladder) => ladder.filter(({ own }) => !own));
        const p = consensusOf(first ?? [], second ?? [])?.p;
        if (p !== undefined) collector.price(marketBooks.market.id, event.ts, p);
      }
}

/** Folds the events of a run into its activity. */
class ActivityFold {
  readonly activity = new Activity();
  /** Resting orders, and since when, monotonic ms. */
  readonly #resting = new Map<OrderRef, number>();
  readonly #fills = new Set<TxId>();
  /** Transactions in which the account was the taker, from the user feed. */
  readonly #took = new Set<TxId>();
  #counts: Partial<RunCounts> = {};

  get report(): ActivityReport {
    const { placed = 0, edited = 0, cancelled = 0, cancelledByOthers = 0, refused = 0 } = this.#counts;
    return this.activity.report({ placed, edited, cancelled, cancelledByOthers, refused });
  }

  applyStep({ t, mono, in: input }: StampedArrival, events: readonly RunEvent[]): void {
    this.#noteTake(input);
    for (const event of events)
      switch (event.type) {
        case 'Sample':
          this.#counts = { ...this.#counts, ...event.counts };
          break;
        case 'RequestAnswered':
          this.#noteAnswer(event);
          break;
        case 'Fill':
          this.#noteFill(event, t);
          break;
        case 'OrderRested':
          if (!this.#resting.has(event.ref)) this.#resting.set(event.ref, mono);
          break;
        case 'OrderEnded':
          this.#noteEnd(event.ref, mono);
          break;
        default:
      }
  }

  #noteAnswer({ kind, status, failure }: EventOf<'RequestAnswered'>): void {
    // the exchange never sees a request that was not sent; the answer to one that timed out may still come
    if (failure !== 'not-sent' && failure !== 'timeout') this.activity.answered(kind, status ?? 0);
  }

  #noteTake(input: Arrival): void {
    if (input.type !== 'frame' || input.event !== 'positionUpdate') return;
    const update = parsePositionUpdate(input.data);
    if (update.ok && update.value.kind === 'took' && update.value.fill !== undefined)
      this.#took.add(update.value.fill.txId);
  }

  #noteFill({ txId, market, risk }: EventOf<'Fill'>, t: number): void {
    if (this.#fills.has(txId)) return;
    this.#fills.add(txId);
    this.activity.filled(market, t, risk, this.#took.has(txId) ? 'took' : 'made');
  }

  #noteEnd(ref: OrderRef, mono: number): void {
    const since = this.#resting.get(ref);
    if (since === undefined) return;
    this.#resting.delete(ref);
    this.activity.ended(mono - since);
  }
}

function textOf(
  { orders, fills, cancelsPerFill, life: lifetimes, answers, largeMoves }: ActivityReport,
  { file, from, to }: { readonly file: string; readonly from: string | null; readonly to: string | null },
): string {
  const share = (part: number | null): string => (part === null ? 'none' : `${(part * 100).toFixed(1)} %`);
  const seconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`);
  const lines = [
    `journal  ${file}`,
    `time     ${from ?? '–'} to ${to ?? '–'}`,
    `orders   ${orders.placed} placed, ${orders.edited} edited, ${orders.cancelled} cancelled, ${orders.cancelledByOthers} by others, ${orders.refused} refused`,
    `fills    ${fills.count} for ${moneyText(fills.risk)}: ${fills.made} made, ${fills.took} took`,
    `makers   ${share(fills.makerShare)} of the fills`,
    `cancels  ${cancelsPerFill === null ? 'no fill to hold them against' : `${cancelsPerFill.toFixed(1)} cancelled or moved for one fill`}`,
    `life     median ${seconds(lifetimes.median)}, from ${seconds(lifetimes.p10)} (10 %) to ${seconds(lifetimes.p90)} (90 %), of ${lifetimes.quotes} quotes`,
    `news     ${largeMoves.moves} moves of ${largeMoves.points * 100} points or more; ${largeMoves.fillsAfter} fills (${share(largeMoves.share)}) within ${largeMoves.withinMs / 1000} s of one`,
    'answers',
    ...Object.entries(answers).map(
      ([kind, statuses]) =>
        `  ${kind.padEnd(18)} ${Object.entries(statuses)
          .map(([status, count]) => `${status === '0' ? 'none' : status}: ${count}`)
          .join(', ')}`,
    ),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}
