// The guard watches a bot's heartbeat from another process. When the bot hangs, dies or stops its loop, the
// guard raises the fence and cancels everything on the account until two lists in a row are empty, both
// requested after the bot could no longer place (it acknowledged the fence, or is dead). Then it continues to
// watch. It never gives up.
//
// Only a farewell that was read is an orderly end (rules.md, 15): the guard remembers pid and start of a bot
// that it has seen once, whatever happens to its files.
//
// Ages are measured on the guard's own monotonic clock, from the last change of the bot's loop count: a
// stepped wall clock raises no fence. When the guard itself stood still, the bot gets a whole deadline again.
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { Fence } from './fence.ts';
import { isFenced, markCleared, raiseFence, readFence, releaseReserve, reserveFence } from './fence.ts';
import type { Beat } from './heartbeat.ts';
import { readBeat } from './heartbeat.ts';
import { readLease } from './lease.ts';
import type { Log } from './log.ts';
import { isAlive, isSameOwner, livingOwner, thisProcess } from './owner.ts';
import type { RunFiles } from './run-files.ts';
import { writeWhole } from './run-files.ts';

/** The guard's own access to the account. No method rejects. */
export type GuardedAccount = {
  /** Undefined: the exchange accepted it; otherwise what went wrong. */
  readonly cancelAll: () => Promise<string | undefined>;
  /** Number of open orders. Undefined: it cannot be known now. */
  readonly countOpen: () => Promise<number | undefined>;
};

export type GuardSettings = {
  readonly deadlineMs: number;
  /** A request sent before the end may land this much later, ms. */
  readonly lateArrivalMs: number;
  /** Time between two lists of open orders, ms. */
  readonly listEveryMs: number;
};

/** Time between two lists while late requests may still land, ms. */
const RELIST_EVERY_MS = 5000;
/** Time before the cancel is sent again, ms: the exchange cancels about 15 orders a second. */
const CANCEL_AGAIN_MS = 15_000;
const BACK_OFF_MS = { first: 250, longest: 5000 };

export class Guard {
  readonly #files: RunFiles;
  readonly #settings: GuardSettings;
  readonly #account: GuardedAccount;
  readonly #log: Log;
  #seen: Beat | undefined;
  #changedAt = 0;
  #checkedAt = 0;
  /**
   * The bot whose end or silence was handled, until its fence is lifted. `isEmpty`: it can have no open
   * orders any more.
   */
  #handled: { readonly bot: Beat; readonly isEmpty: boolean } | undefined;
  /**
   * The last dead bot whose account was cleared. Starts that send nothing restore its heartbeat, so it can
   * appear again.
   */
  #cleared: Beat | undefined;
  /** Called when a fence is raised or marked, to keep it in another place, too. */
  readonly #keep: (fence: Fence) => void;
  #reportedWaiting = false;
  #reportedUnsigned = false;

  constructor(
    files: RunFiles,
    settings: GuardSettings,
    account: GuardedAccount,
    log: Log,
    keep: (fence: Fence) => void = () => undefined,
  ) {
    this.#files = files;
    this.#settings = settings;
    this.#account = account;
    this.#log = log;
    this.#keep = keep;
  }

  /** @throws OddsmakerError GUARD_RUNNING */
  async run(signal: AbortSignal): Promise<void> {
    const every = Math.max(20, Math.min(1000, this.#settings.deadlineMs / 10));
    const other = livingOwner(this.#files.guard);
    // whether a guard of another machine or a former container lives cannot be known: two guards are better
    // than none
    if (other !== undefined && isAlive(other) === true)
      throw new OddsmakerError(
        'GUARD_RUNNING',
        `a guard of account ${this.#files.account} is running: ${this.#files.guard} belongs to pid ${other.pid}`,
      );
    while (!signal.aborted) {
      this.#sign();
      await this.#check(signal);
      await pause(every, signal);
    }
    if (this.#isSigned) rmSync(this.#files.guard, { force: true });
    releaseReserve(this.#files.fence);
  }

  get #isSigned(): boolean {
    const owner = livingOwner(this.#files.guard);
    return owner !== undefined && isSameOwner(owner, thisProcess());
  }

  /**
   * Writes the guard's own file, which the bot reads, and reserves room for a fence. Restores either when it
   * was removed.
   */
  #sign(): void {
    try {
      if (!this.#isSigned) writeWhole(this.#files.guard, thisProcess());
      if (!isFenced(this.#files.fence)) reserveFence(this.#files.fence);
      this.#reportedUnsigned = false;
    } catch (error) {
      if (!this.#reportedUnsigned)
        this.#log.warn('the guard cannot be seen by its bot, or has no room for a fence', {
          file: this.#files.guard,
          problem: messageOf(error),
        });
      this.#reportedUnsigned = true;
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (now - this.#checkedAt > this.#settings.deadlineMs / 2) this.#changedAt = now;
    this.#checkedAt = now;
    const former = this.#seen;
    const beat = readBeat(this.#files.heartbeat) ?? former;
    if (beat === undefined) {
      this.#wait();
      return;
    }
    const diedUnseen = former === undefined ? undefined : this.#diedUnseen(former, beat);
    if (former !== undefined && diedUnseen !== undefined) {
      this.#notice(beat, now);
      const isEmpty = await this.#act(former, goneWithout(diedUnseen), signal, false);
      this.#setHandled({ bot: beat, isEmpty });
      if (isEmpty) this.#cleared = former;
      return;
    }
    if (beat.farewell) {
      if (former !== undefined) this.#log.info('the bot ended in order', { pid: former.pid });
      this.#seen = undefined;
      this.#handled = undefined;
      this.#wait();
      return;
    }
    this.#notice(beat, now);
    const alive = isAlive(beat);
    const silentMs = now - this.#changedAt;
    if (alive !== false && silentMs <= this.#settings.deadlineMs) {
      if (this.#handled !== undefined && beat.fence === null && !isFenced(this.#files.fence)) {
        this.#handled = undefined;
        this.#log.info('the fence was lifted: watching again', { pid: beat.pid });
      }
      return;
    }
    // a dead bot has nothing left to stop; a silent one may still wake, and needs its fence
    if (alive === false && this.#isCleared(beat)) return;
    const handled = this.#handled !== undefined && isSameOwner(this.#handled.bot, beat) ? this.#handled : undefined;
    if (handled !== undefined && isFenced(this.#files.fence)) {
      // it died while its fence stood
      if (alive === false && handled.isEmpty) this.#cleared = beat;
      return;
    }
    const isEmpty =
      alive === false
        ? await this.#act(beat, goneWithout(beat.pid), signal, false)
        : await this.#act(
            beat,
            `the loop of the bot (pid ${beat.pid}) has not turned for ${Math.round(silentMs)} ms`,
            signal,
            true,
          );
    this.#setHandled({ bot: beat, isEmpty });
    if (alive === false && isEmpty) this.#cleared = beat;
  }

  #setHandled(handled: { readonly bot: Beat; readonly isEmpty: boolean }): void {
    this.#handled = handled;
    this.#checkedAt = performance.now();
    this.#changedAt = this.#checkedAt;
  }

  #isCleared(bot: Beat): boolean {
    return this.#cleared !== undefined && isSameOwner(this.#cleared, bot);
  }

  /** Pid of a bot that died between two checks: the one seen last, or one that started after it. */
  #diedUnseen(former: Beat, beat: Beat): number | undefined {
    if (isSameOwner(former, beat)) return undefined;
    const endedInOrder = beat.ended.some((owner) => isSameOwner(owner, former));
    const isGone = isAlive(former) === false || beat.after === former.pid;
    if (isGone && !endedInOrder && !this.#isCleared(former)) return former.pid;
    const { after } = beat;
    // a restored heartbeat is no start; and a start that sent nothing still names the bot before it
    if (beat.farewell || after === null || after === former.pid || this.#isCleared(beat)) return undefined;
    return after !== this.#cleared?.pid && isAlive(beat) !== false ? after : undefined;
  }

  #wait(): void {
    if (!this.#reportedWaiting) this.#log.info('waiting for a heartbeat', { heartbeat: this.#files.heartbeat });
    this.#reportedWaiting = true;
  }

  #notice(beat: Beat, now: number): void {
    const former = this.#seen;
    if (former === undefined || !isSameOwner(former, beat)) {
      this.#log.info('watching a bot', { pid: beat.pid, deadlineMs: this.#settings.deadlineMs });
      this.#reportedWaiting = false;
    }
    if (former === undefined || !isSameOwner(former, beat) || former.loops !== beat.loops) this.#changedAt = now;
    this.#seen = beat;
  }

  /**
   * Raises the fence and clears the account. True: the account was seen empty, and nothing of this bot can
   * land any more.
   */
  async #act(beat: Beat, why: string, signal: AbortSignal, hung: boolean): Promise<boolean> {
    const fence = await this.#raise(why, signal, hung);
    if (fence === undefined) return false;
    this.#log.error('the fence stands: cancelling everything on the account', {
      alert: 'GUARD_ACTED',
      why,
      fence: this.#files.fence,
      lift: 'oddsmaker ctl <config> resume',
    });
    return this.#clear(beat, fence, signal);
  }

  /**
   * Raises the fence. A disk that refuses must not delay clearing: the cancel is sent, and the fence is tried
   * again.
   */
  async #raise(why: string, signal: AbortSignal, hung: boolean): Promise<Fence | undefined> {
    for (let wait = BACK_OFF_MS.first; !signal.aborted; wait = Math.min(wait * 2, BACK_OFF_MS.longest)) {
      try {
        // the next bot reads the fence in this folder, which may have been moved away
        mkdirSync(this.#files.folder, { recursive: true });
        return raiseFence(this.#files.fence, why, hung);
      } catch (error) {
        this.#log.error('the fence cannot be written, trying again; cancelling meanwhile', {
          fence: this.#files.fence,
          problem: messageOf(error),
        });
        this.#logCancel(await this.#account.cancelAll());
        await pause(wait, signal);
      }
    }
    return undefined;
  }

  async #clear(beat: Beat, fence: Fence, signal: AbortSignal): Promise<boolean> {
    let cancelAt = 0;
    let problem: string | undefined;
    let wait = BACK_OFF_MS.first;
    let empty = 0;
    /** Number of empty lists in a row that were requested after its death. */
    let sinceDeath = 0;
    let wasEmpty = false;
    let wasLifted = false;
    let openBefore: number | undefined;
    let quietAt: number | undefined;
    let logged = '';
    let isKept = false;
    while (!signal.aborted) {
      if (!isFenced(this.#files.fence)) {
        if (sinceDeath >= 2) this.#cleared = beat;
        if (!wasEmpty) {
          this.#log.warn('the fence was lifted before the account was seen empty', { pid: beat.pid });
          return false;
        }
        // an operator who lifts it for another bot accepts late orders; until a bot runs, the guard watches
        // for them
        if (this.#isReplaced(beat)) return true;
        const withinMs = this.#settings.lateArrivalMs;
        if (!wasLifted) this.#log.warn('something of the bot may still land', { pid: beat.pid, withinMs });
        wasLifted = true;
      }
      if (empty < 2 && performance.now() >= cancelAt) {
        problem = await this.#account.cancelAll();
        this.#logCancel(problem);
        cancelAt = performance.now() + (problem === undefined ? CANCEL_AGAIN_MS : wait);
        wait = problem === undefined ? BACK_OFF_MS.first : Math.min(wait * 2, BACK_OFF_MS.longest);
      }
      // after the cancel, which must not wait for it
      if (!isKept) this.#keepAsItStands(fence);
      isKept = true;
      // checked before the list, so that the list is newer than the last possible place
      const quiet = this.#isQuiet(beat, fence);
      if (quiet !== undefined) quietAt ??= performance.now();
      const isDead = isAlive(beat) === false;
      const open = await this.#account.countOpen();
      const summary = `${open ?? 'unknown'} ${quiet ?? ''}`;
      if (summary !== logged) this.#log.info('open orders', { open: open ?? 'unknown', bot: quiet ?? 'silent' });
      logged = summary;
      empty = quiet !== undefined && open === 0 ? empty + 1 : 0;
      sinceDeath = isDead && empty > 0 ? sinceDeath + 1 : 0;
      wasEmpty ||= empty >= 2;
      if (empty === 2) {
        this.#log.info('nothing is open', { bot: quiet, resolves: 'GUARD_ACTED' });
        this.#mark(fence, Date.now());
      }
      // a request that landed late
      if (wasEmpty && openBefore === 0 && (open ?? 0) > 0) this.#mark(fence, undefined);
      if (empty >= 2 && performance.now() - (quietAt ?? 0) >= this.#settings.lateArrivalMs) return true;
      // a request that landed late
      if (openBefore === 0 && open !== 0) cancelAt = 0;
      openBefore = open;
      await pause(empty >= 2 ? RELIST_EVERY_MS : problem === undefined ? this.#settings.listEveryMs : wait, signal);
    }
    return false;
  }

  /** True when the bot, or another one, lives. */
  #isReplaced(beat: Beat): boolean {
    const now = readBeat(this.#files.heartbeat);
    if (!this.#isGone(beat)) return true;
    return now !== undefined && !isSameOwner(now, beat) && isAlive(now) !== false;
  }

  /** Marks the fence as cleared or not. An unmarked fence means that the account was not seen empty. */
  #mark(fence: Fence, cleared: Fence['cleared']): void {
    try {
      markCleared(this.#files.fence, fence.id, cleared);
      this.#keepAsItStands(fence);
    } catch (error) {
      this.#log.warn('the fence cannot be marked as cleared', {
        fence: this.#files.fence,
        problem: messageOf(error),
      });
    }
  }

  /** Keeps the fence in the other place, unless it was lifted meanwhile. */
  #keepAsItStands({ id }: Fence): void {
    const now = readFence(this.#files.fence);
    if (now?.id === id) this.#keep(now);
  }

  #logCancel(problem: string | undefined): void {
    this.#log[problem === undefined ? 'info' : 'error']('cancelAllOrders was sent', {
      answer: problem ?? 'taken',
    });
  }

  /** Why the bot can place nothing any more. Undefined: it still may. */
  #isQuiet(beat: Beat, fence: Fence): string | undefined {
    const now = readBeat(this.#files.heartbeat);
    if (now !== undefined && now.fence === fence.id) return 'acknowledged';
    return this.#isGone(beat) ? 'dead' : undefined;
  }

  /**
   * True when the bot is dead and no other has started meanwhile: a new one counts once it has acknowledged
   * the fence.
   */
  #isGone(beat: Beat): boolean {
    if (isAlive(beat) !== false) return false;
    const lease = readLease(this.#files.lease);
    if (lease === null) return false;
    return lease === undefined || isSameOwner(lease, beat) || isAlive(lease) === false;
  }
}

const goneWithout = (pid: number): string => `the bot (pid ${pid}) is gone without an orderly end`;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
