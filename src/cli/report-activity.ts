// `oddsmaker report --activity`: what the operator of the exchange sees of the account, out of a journal.
import type { Arrival, Command as Sent, RequestId, StampedArrival, OrderRef } from '../domain/index.ts';
import { EXIT, isActive, isRequest, kindOf, moneyText, printable } from '../domain/index.ts';
import { AccountFollower } from '../engine/index.ts';
import type { JournalStep, Tear } from '../journal/index.ts';
import { scanJournal, headerOf, tearText, timeOf, tolerant, JournalProgress } from '../journal/index.ts';
import type { ActivityReport } from '../report/index.ts';
import { Activity } from '../report/index.ts';
import { parsePositionUpdate } from '../wire/index.ts';
import { followerSettings } from '../run/index.ts';

/** Prints it. @throws OddsmakerError JOURNAL_INVALID */
export async function activity(file: string, json: boolean): Promise<number> {
  const follower = new ActivityOfJournal(new AccountFollower(await followerSettings(file, await headerOf(file))));
  const progress = new JournalProgress(process.stderr, file, 'reading');
  let [first, last]: (StampedArrival | undefined)[] = [];
  let tear: Tear | undefined;
  try {
    await scanJournal(file, {
      step: tolerant(file, (step) => {
        first ??= step.input;
        last = step.input;
        follower.applyStep(step);
        progress.advance();
      }),
      torn: (told) => (tear = told),
    });
  } finally {
    progress.end();
  }
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  const report = follower.report;
  const at = (input: StampedArrival | undefined): string | null => (input === undefined ? null : timeOf(input));
  const journal = { file, from: at(first), to: at(last), torn: tear !== undefined };
  process.stdout.write(json ? `${JSON.stringify({ journal, ...report })}\n` : textOf(report, journal));
  return EXIT.done;
}

/** Follows the account of a run, and takes from it what counts. */
class ActivityOfJournal {
  readonly #follower: AccountFollower;
  readonly #activity = new Activity();
  readonly #sent = new Map<RequestId, string>();
  /** Orders that rest, and since when, monotonic ms. */
  readonly #resting = new Map<OrderRef, number>();
  readonly #fills = new Set<string>();
  /** Of takes, as the user feed has them. */
  readonly #took = new Set<string>();

  constructor(follower: AccountFollower) {
    this.#follower = follower;
  }

  get report(): ActivityReport {
    const { placed, edited, cancelled, cancelledByOthers, refused } = this.#follower.counts;
    return this.#activity.report({ placed, edited, cancelled, cancelledByOthers, refused });
  }

  applyStep({ input, commands }: JournalStep): void {
    this.#follower.applyInput(input);
    this.#noteAnswer(input.in);
    this.#noteTake(input.in);
    for (const market of this.#follower.toldMarkets) {
      const p = this.#follower.fairOf(market);
      if (p !== undefined) this.#activity.price(market.id, input.mono, p);
    }
    this.#noteFills(input.mono);
    this.#noteOrders(input.mono);
    this.#follower.applyCommands(commands);
    this.#noteSent(commands);
  }

  #noteSent(commands: readonly Sent[]): void {
    for (const command of commands) {
      if (isRequest(command)) this.#sent.set(command.req, kindOf(command));
    }
  }

  #noteAnswer(input: Arrival): void {
    if (input.type !== 'reply' && input.type !== 'failure') return;
    const kind = this.#sent.get(input.req);
    // what never left is none of the exchange's business; after a time-out the answer may still come
    if (kind === undefined || (input.type === 'failure' && input.failure === 'not-sent')) return;
    if (input.type === 'failure' && input.failure === 'timeout') return;
    this.#sent.delete(input.req);
    this.#activity.answered(kind, input.type === 'reply' ? input.status : 0);
  }

  #noteTake(input: Arrival): void {
    if (input.type !== 'frame' || input.event !== 'positionUpdate') return;
    const told = parsePositionUpdate(input.data);
    if (told.ok && told.value.kind === 'took' && told.value.fill !== undefined) this.#took.add(told.value.fill.txId);
  }

  #noteFills(now: number): void {
    for (const news of this.#follower.news) {
      if (news.type !== 'fill' || this.#fills.has(news.fill.txId)) continue;
      const { txId, market, risk } = news.fill;
      this.#fills.add(txId);
      this.#activity.filled(market?.id, now, risk, this.#took.has(txId) ? 'took' : 'made');
    }
  }

  #noteOrders(now: number): void {
    for (const { ref, status, openSince, landed } of this.#follower.told) {
      if (isActive(status)) {
        if (landed && !this.#resting.has(ref)) this.#resting.set(ref, openSince);
        continue;
      }
      const since = this.#resting.get(ref);
      if (since === undefined) continue;
      this.#resting.delete(ref);
      this.#activity.ended(now - since);
    }
  }
}

function textOf(
  { orders, fills, cancelsPerFill, life, answers, largeMoves }: ActivityReport,
  { file, from, to }: { readonly file: string; readonly from: string | null; readonly to: string | null },
): string {
  const share = (of: number | null): string => (of === null ? 'none' : `${(of * 100).toFixed(1)} %`);
  const seconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`);
  const lines = [
    `journal  ${file}`,
    `time     ${from ?? '–'} to ${to ?? '–'}`,
    `orders   ${orders.placed} placed, ${orders.edited} edited, ${orders.cancelled} cancelled, ${orders.cancelledByOthers} by others, ${orders.refused} refused`,
    `fills    ${fills.count} for ${moneyText(fills.risk)}: ${fills.made} made, ${fills.took} took`,
    `makers   ${share(fills.makerShare)} of the fills`,
    `cancels  ${cancelsPerFill === null ? 'no fill to hold them against' : `${cancelsPerFill.toFixed(1)} cancelled or moved for one fill`}`,
    `life     median ${seconds(life.median)}, from ${seconds(life.p10)} (10 %) to ${seconds(life.p90)} (90 %), of ${life.quotes} quotes`,
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
