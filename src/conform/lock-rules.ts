// Checks the cancel-all lock (spec, Limits 4). The bot knows that it holds from the sending of its own
// cancelAllOrders until the answer, and after a 423 for as long as that asks to wait.
import type { OrderId } from '../domain/index.ts';
import type { Failure, Reply, Request, Watcher } from './requests.ts';
import { bucketOf, idsOf, retryAfterMs } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

/** How many 423 answers an order may get: the first one and that of the retry. */
const MOST_ANSWERS = 2;

/** Checks that nothing but cancel-all is sent while the lock is known to hold. */
export class LockRule implements Watcher {
  readonly #findings: Findings;
  /** The bot's own cancel-all requests without an answer. */
  readonly #own = new Set<number>();
  #lock: { readonly until: number; readonly by: number } | undefined;
  /** How often each order was answered 423 since the exchange last accepted a cancel. */
  readonly #locked = new Map<OrderId, number>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  answered(request: Request, reply: Reply, now: Moment): void {
    const { command, req } = request;
    this.#own.delete(req);
    if (bucketOf(request) === undefined) return;
    if (reply.status === 423) {
      const until = now.mono + retryAfterMs(reply);
      if (until > (this.#lock?.until ?? 0)) this.#lock = { until, by: req };
      if (command.type === 'cancel')
        for (const id of command.orderIds) this.#locked.set(id, (this.#locked.get(id) ?? 0) + 1);
    } else if (command.type === 'cancel' && reply.status !== 401 && reply.status !== 429) this.#locked.clear();
  }

  failed({ req }: Request, _failure: Failure): void {
    this.#own.delete(req);
  }

  sent({ command, req }: Request, now: Moment): void {
    if (command.type === 'cancel-all' && command.scope === undefined) this.#own.add(req);
    if (command.type !== 'place' && command.type !== 'edit' && command.type !== 'cancel') return;
    const rule = command.type === 'cancel' ? 'lock-cancel' : 'lock-place';
    this.#findings.checked(rule);
    const by = this.#lockedBy(now);
    if (by !== undefined) this.#findings.found(rule, now, `a ${command.type} was sent ${by.text}`, [req, by.req]);
    if (command.type !== 'cancel') return;
    for (const id of idsOf(command)) {
      this.#findings.checked('lock-retry');
      const times = this.#locked.get(id) ?? 0;
      if (times < MOST_ANSWERS) continue;
      const text = `${id} is cancelled again after ${times} answers of 423 in a row`;
      this.#findings.found('lock-retry', now, text, [req]);
    }
  }

  #lockedBy({ mono }: Moment): { readonly text: string; readonly req: number } | undefined {
    const [own] = this.#own;
    if (own !== undefined) return { text: `while the bot's own cancel-all (request ${own}) was running`, req: own };
    const lock = this.#lock;
    if (lock === undefined || mono >= lock.until) return undefined;
    const left = Math.round(lock.until - mono);
    return {
      text: `${left} ms before the end of the wait that the 423 to request ${lock.by} asked for`,
      req: lock.by,
    };
  }
}
