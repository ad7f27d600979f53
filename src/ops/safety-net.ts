// The bot's side of the safety nets: the lease of its account, the heartbeat, the fence and the control
// socket. The bot asks it before every place. It turns a fence into a halt and an acknowledgement. It makes
// no decisions about quotes.
import type { ExitCode, Input } from '../domain/index.ts';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import { parseControl } from './control-commands.ts';
import type { ControlReply, ControlRequest } from './control-commands.ts';
import { ControlServer } from './control-socket.ts';
import type { Fence } from './fence.ts';
import { isFenced, liftFence, readFence } from './fence.ts';
import { Heartbeat, readBeat } from './heartbeat.ts';
import { Lease } from './lease.ts';
import type { Log } from './log.ts';
import type { BotState } from './bot-figures.ts';
import { LoopWatch, StallMeter } from './loop-watch.ts';
import { livingOwner } from './owner.ts';
import type { RunFiles } from './run-files.ts';
import type { JournalProblem, JournalState } from './journal-health.ts';
import { JournalHealth } from './journal-health.ts';

/** Stalls of the event loop of at least this length are logged, ms. */
const STALL_MS = 200;
const SLOWEST_BEAT_MS = 1000;

/** Refusal of commands before the core takes inputs. */
const STARTING = 'the bot is starting: try again';

/** What the safety net needs from the bot. */
export type NetPorts = {
  /** Enters an input. Undefined: the bot took it; otherwise why not. */
  readonly enter: (input: Input) => string | undefined;
  /** State of the bot for the heartbeat. */
  readonly state: () => BotState;
  /** Status for `ctl status`, as JSON values. */
  readonly status: () => Readonly<Record<string, unknown>>;
  /** Markets for `ctl markets`, as JSON values. */
  readonly markets: () => unknown;
  /** What each game with fills may bring. */
  readonly risk: () => unknown;
  /** State of the journal. Undefined: no journal is written. */
  readonly journal: () => JournalState | undefined;
  readonly configure: (
    change: Extract<ControlRequest, { type: 'reload' | 'params' }>,
    by: string,
  ) => Promise<
    | {
        readonly ok: true;
        readonly changed: readonly string[];
        readonly later: readonly string[];
        readonly replaced: readonly string[];
        readonly changes: readonly {
          readonly key: string;
          readonly before: unknown;
          readonly after: unknown;
        }[];
        readonly untyped?: string;
        readonly warnings?: readonly string[];
      }
    | { readonly ok: false; readonly problem: string }
  >;
};

export class SafetyNet {
  readonly #files: RunFiles;
  readonly #log: Log;
  readonly #lease: Lease;
  /** Pid of the former bot if it ended without an orderly end. */
  readonly #after: number | undefined;
  readonly #dead: { readonly pid: number; readonly id: string } | undefined;
  readonly #watch: LoopWatch;
  readonly #heartbeat: Heartbeat;
  readonly #beatEveryMs: number;
  readonly #stalls = new StallMeter();
  readonly #startedAt = new Date().toISOString();
  readonly #deadlineMs: number;
  #reportedFailing = false;
  #hasHalted = false;
  #ports: NetPorts | undefined;
  #server: ControlServer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #fence: Fence | undefined;
  /**
   * When set, a fence that the guard raised for a dead bot is lifted once the guard has marked it as cleared.
   */
  liftsCleared = false;
  /** Called when a fence was seen or lifted. */
  fenceChanged: (fence: Fence | undefined) => void = () => undefined;
  #lastReason = '';
  #isEnding = false;
  /** True when the core takes inputs. */
  #hasBegun = false;
  readonly #health: JournalHealth;
  #blind: JournalProblem | undefined;

  /** @throws OddsmakerError INSTANCE_RUNNING, RUN_FOLDER_UNWRITABLE */
  constructor(files: RunFiles, deadlineMs: number, log: Log) {
    this.#files = files;
    this.#log = log;
    this.#lease = Lease.take(files, deadlineMs);
    const { tookOverFrom } = this.#lease;
    if (tookOverFrom !== undefined)
      log.warn('the lease of a dead bot was replaced', { lease: files.lease, pid: tookOverFrom });
    const before = readBeat(files.heartbeat);
    const isDead = before !== undefined && !before.farewell;
    // a bot that was killed after its farewell ended in order, although it left its lease
    const leftLease = before?.farewell === true && before.pid === tookOverFrom ? undefined : tookOverFrom;
    this.#after = leftLease ?? (isDead ? before.pid : undefined);
    // a bot killed before its first heartbeat has no identity: each start gives it a new one
    const { pid, host, ticks } = before ?? { pid: this.#after, host: '', ticks: String(Date.now()) };
    if (this.#after !== undefined) this.#dead = { pid: this.#after, id: [pid, host, ticks].join(' ') };
    if (tookOverFrom === undefined && this.#after !== undefined)
      log.warn('the bot before was gone without an orderly end', {
        heartbeat: files.heartbeat,
        pid: this.#after,
      });
    this.#beatEveryMs = Math.min(SLOWEST_BEAT_MS, deadlineMs / 10);
    this.#watch = new LoopWatch({
      deadlineMs,
      fenced: () => this.#seesFence(),
      now: () => performance.now(),
    });
    this.#deadlineMs = deadlineMs;
    this.#health = new JournalHealth(
      files.folder,
      () => this.#lease.check(),
      () => this.#ports?.journal(),
    );
    this.#heartbeat = new Heartbeat(
      files.heartbeat,
      () => ({
        loops: this.#watch.loops,
        state: this.#ports?.state() ?? 'starting',
        fence: this.#fence?.id ?? null,
      }),
      this.#after,
      before,
    );
  }

  /** Opens the control socket. @throws OddsmakerError RUN_FOLDER_UNWRITABLE */
  async open(ports: NetPorts): Promise<void> {
    this.#ports = ports;
    const { socket, spareSocket } = this.#files;
    const handle = (message: unknown) => this.control(message, 'control socket');
    const problems: string[] = [];
    for (const path of new Set([socket, spareSocket])) {
      try {
        this.#server = await ControlServer.open(path, handle);
        if (path === spareSocket) {
          this.#lease.moveSocket(path);
          this.#log.warn('the control socket is not beside the journal', { socket: path });
        }
        return;
      } catch (error) {
        problems.push(`${path}: ${messageOf(error)}`);
      }
    }
    throw new OddsmakerError('RUN_FOLDER_UNWRITABLE', `no control socket can be opened: ${problems.join('; ')}`);
  }

  /** State of the bot: `fenced` and `blind` come first. */
  get state(): BotState {
    if (this.#fence !== undefined) return 'fenced';
    return this.#blind === undefined ? (this.#ports?.state() ?? 'starting') : 'blind';
  }

  /** Why it takes no commands yet. Undefined: it does. */
  get starting(): string | undefined {
    return this.#hasBegun ? undefined : STARTING;
  }

  get loops(): number {
    return this.#watch.loops;
  }

  /** Called when the core takes inputs. A fence that stands already halts it before anything else. */
  beginRun(): void {
    this.#hasBegun = true;
    this.#beat();
    this.#timer = setInterval(() => {
      this.#beat();
    }, this.#beatEveryMs);
  }

  /** True when the former bot ended without an orderly end: open orders may be its own. */
  get followsDead(): boolean {
    return this.#after !== undefined;
  }

  /** The former bot that died. `id` distinguishes it from others with the same pid, as in containers. */
  get dead(): { readonly pid: number; readonly id: string } | undefined {
    return this.#dead;
  }

  /** The fence that stands, if any. */
  get standingFence(): Fence | undefined {
    return readFence(this.#files.fence);
  }

  /** Pid of the guard of this account, if one runs. */
  get guardPid(): number | undefined {
    return livingOwner(this.#files.guard)?.pid;
  }

  /** Called when the core has completed a step; its commands are carried out next. */
  loopCompleted(): void {
    this.#watch.completed();
  }

  /** Why no place may be sent now. Undefined: it may. */
  mayPlace(): string | undefined {
    const reason = this.#watch.mayPlace();
    if (reason !== undefined && reason !== this.#lastReason)
      this.#log.warn('no place is sent for now', { code: 'PLACE_HELD', reason });
    this.#lastReason = reason ?? '';
    return reason;
  }

  /**
   * Called when the core takes no more inputs: from now on only the timers of this process show that it
   * lives.
   */
  ending(): void {
    this.#isEnding = true;
  }

  /**
   * Writes the last heartbeat, after the run has ended and all its files are written.
   * @param orderly true when the open orders are known: it is a farewell; otherwise the guard cancels once
   *   this process is gone
   * @param sentNothing true when the run sent nothing: the heartbeat of the former bot is restored, however
   *   that one ended
   */
  async ended(orderly: boolean, sentNothing = false): Promise<void> {
    clearInterval(this.#timer);
    // only the holder of the lease writes the heartbeat
    if (this.#lease.isLost) return;
    if (sentNothing && (await this.#heartbeat.giveBack())) return;
    if (!orderly) {
      this.#heartbeat.beatNow();
      return;
    }
    const problem = await this.#heartbeat.writeFarewell();
    if (problem !== undefined)
      this.#log.error('the farewell cannot be written: a guard takes this bot for dead and clears the account', {
        code: 'HEARTBEAT_FAILED',
        heartbeat: this.#files.heartbeat,
        problem,
      });
  }

  /**
   * Writes the last heartbeat synchronously, for a process whose strategy never returns and whose account was
   * cleared for it.
   */
  endedNow(orderly: boolean): void {
    clearInterval(this.#timer);
    if (this.#lease.isLost) return;
    if (orderly) this.#heartbeat.endNow();
    else this.#heartbeat.beatNow();
  }

  /** Releases everything at the end of the process. */
  close(): void {
    clearInterval(this.#timer);
    this.#stalls.stop();
    this.#server?.close();
    this.#lease.release();
  }

  #beat(): void {
    if (this.#isEnding) this.#watch.completed();
    this.#seesFence();
    this.#applyHealth(this.#health.check());
    const longest = this.#stalls.take();
    if (longest >= STALL_MS)
      this.#log.warn('the event loop stood still', { code: 'LOOP_STALLED', ms: Math.round(longest) });
    // only the holder of the lease writes the heartbeat
    if (!this.#lease.isLost) this.#heartbeat.beat();
    this.#watchHeartbeat();
  }

  #applyHealth(blind: JournalProblem | undefined): void {
    const before = this.#blind;
    if (blind?.path === before?.path && blind?.problem === before?.problem) return;
    this.#blind = blind;
    if (blind === undefined) {
      this.#watch.forbidden = undefined;
      this.#log.info('the bot sees its files again', { path: before?.path });
      this.#ports?.enter({ type: 'operator', command: 'release' });
      return;
    }
    const reason = `blind: ${blind.path} ${blind.problem}`;
    this.#watch.forbidden = reason;
    const fields = { path: blind.path, problem: blind.problem };
    if (this.#lease.isLost) {
      this.#log.error('another bot has the lease of the account: the run ends', {
        alert: 'LEASE_LOST',
        code: 'LEASE_LOST',
        ...fields,
      });
      this.#ports?.enter({ type: 'operator', command: 'stop' });
    } else if (this.#ports?.journal()?.isTorn === true) {
      // only a new run helps: the supervisor starts one after exit code 75
      this.#log.error('the journal ended before its run: the run is stopped, and ends with 75', {
        alert: 'BLIND',
        code: 'BLIND',
        ...fields,
      });
      this.#ports.enter({ type: 'operator', command: 'stop' });
    } else
      this.#log.error('the bot is blind: its orders are cancelled, and nothing is quoted', {
        alert: 'BLIND',
        code: 'BLIND',
        ...fields,
      });
    this.#ports?.enter({ type: 'operator', command: 'hold', reason });
  }

  /** A fault of its own files with which a run must not end well. Undefined: there is none. */
  fault(): { readonly code: ExitCode; readonly reason: string } | undefined {
    const blind = this.#health.check();
    if (blind === undefined) return undefined;
    const code = this.#lease.isLost ? EXIT.refused : EXIT.gaveUp;
    return { code, reason: `blind at its end: ${blind.path} ${blind.problem}` };
  }

  /**
   * Halts the bot if its heartbeat fails for half the deadline: a guard that sees none takes it for dead
   * after the whole one.
   */
  #watchHeartbeat(): void {
    const { failingMs, problem } = this.#heartbeat;
    if (problem === undefined) {
      if (this.#reportedFailing) this.#log.info('the heartbeat is written again', { heartbeat: this.#files.heartbeat });
      this.#reportedFailing = false;
      this.#hasHalted = false;
      return;
    }
    if (!this.#reportedFailing)
      this.#log.error('the heartbeat cannot be written', {
        code: 'HEARTBEAT_FAILED',
        heartbeat: this.#files.heartbeat,
        problem,
      });
    this.#reportedFailing = true;
    if (this.#hasHalted || failingMs < this.#deadlineMs / 2 || this.guardPid === undefined) return;
    this.#hasHalted = true;
    this.#ports?.enter({
      type: 'operator',
      command: 'halt',
      reason: `the heartbeat cannot be written, and a guard watches it: ${problem}`,
    });
  }

  /** True while a fence stands. A fence once seen stands until `resume`, even if the file is gone. */
  #seesFence(): boolean {
    if (this.#fence !== undefined) return !this.#liftsWhenCleared(this.#fence);
    if (!isFenced(this.#files.fence)) return false;
    this.#fence = readFence(this.#files.fence);
    // it was lifted between the two reads: the next call decides
    if (this.#fence === undefined) return true;
    this.fenceChanged(this.#fence);
    if (this.liftsCleared && !this.#fence.hung) {
      this.#log.warn(
        'a fence stands for a bot that is gone: nothing is placed until the guard has cleared the account',
        {
          code: 'FENCED',
          fence: this.#files.fence,
          why: this.#fence.why,
          since: this.#fence.when,
        },
      );
      this.#ports?.enter({
        type: 'wait',
        for: 'fence',
        reason: 'the guard has not yet cleared the account of the former bot',
      });
      this.#heartbeat.beatNow();
      return !this.#liftsWhenCleared(this.#fence);
    }
    this.#log.error('a fence stands: nothing is placed until `oddsmaker ctl <config> resume`', {
      code: 'FENCED',
      fence: this.#files.fence,
      why: this.#fence.why,
      since: this.#fence.when,
    });
    this.#ports?.enter({ type: 'operator', command: 'halt', reason: 'a fence stands (guard)' });
    this.#heartbeat.beatNow();
    return true;
  }

  /** Lifts the fence of a dead bot once the guard has cleared the account. True when it is lifted. */
  #liftsWhenCleared({ id, hung }: Fence): boolean {
    if (!this.liftsCleared || hung) return false;
    const now = readFence(this.#files.fence);
    if (now?.id !== id || now.cleared === undefined) return false;
    try {
      liftFence(this.#files.fence);
    } catch (error) {
      if (this.#lastReason !== 'fence') this.#log.error('the fence cannot be removed', { problem: messageOf(error) });
      this.#lastReason = 'fence';
      return false;
    }
    this.#fence = undefined;
    this.fenceChanged(undefined);
    this.#log.warn('the guard has cleared the account: the fence is lifted', {
      fence: this.#files.fence,
      cleared: new Date(now.cleared).toISOString(),
    });
    this.#ports?.enter({ type: 'wait', for: 'fence' });
    this.#heartbeat.beat();
    return true;
  }

  /** Handles a command of an operator. `by`: its sender. */
  control(message: unknown, by: string): ControlReply | Promise<ControlReply> {
    const request = parseControl(message, by);
    const ports = this.#ports;
    if (typeof request === 'string') return { ok: false, error: request };
    if (ports === undefined) return { ok: false, error: STARTING };
    if (request.type === 'status') return { ok: true, done: 'status', status: this.status() };
    if (request.type === 'markets') return { ok: true, done: 'markets', markets: ports.markets() };
    if (request.type === 'risk') return { ok: true, done: 'risk', risk: ports.risk() };
    if (!this.#hasBegun) return { ok: false, error: STARTING };
    if (request.type === 'reload' || request.type === 'params') return this.#configure(ports, request, by);
    const { command, input, then } = request;
    const fields = { command, input, ...(then === undefined ? {} : { then }) };
    if (command === 'signal') {
      const refusal = ports.enter(input);
      return refusal === undefined ? { ok: true, done: command } : { ok: false, error: refusal };
    }
    this.#log.info('an operator’s command', fields);
    if (command === 'resume' && input.type === 'operator') {
      try {
        liftFence(this.#files.fence);
      } catch (error) {
        return {
          ok: false,
          error: `the fence cannot be removed: ${messageOf(error)}`,
        };
      }
      this.#fence = undefined;
      this.fenceChanged(undefined);
      try {
        this.#lease.putBack();
      } catch {
        // the health check below reports what prevents it
      }
      this.#applyHealth(this.#health.check());
    }
    const refusal = ports.enter(input);
    if (refusal !== undefined) {
      this.#log.warn('the command was refused', { ...fields, reason: refusal });
      return { ok: false, error: refusal };
    }
    if (then !== undefined) ports.enter(then);
    this.#heartbeat.beat();
    return { ok: true, done: command, status: this.status() };
  }

  async #configure(
    { configure }: NetPorts,
    change: Extract<ControlRequest, { type: 'reload' | 'params' }>,
    by: string,
  ): Promise<ControlReply> {
    const { type } = change;
    if (type !== 'reload' || !change.isDry) this.#log.info('an operator’s command', { command: type, ...change, by });
    const outcome = await configure(change, by);
    if (!outcome.ok) return { ok: false, error: outcome.problem };
    return { ...outcome, done: type, status: this.status() };
  }

  /** The answer to `ctl status`. */
  status(): Readonly<Record<string, unknown>> {
    return {
      account: this.#files.account,
      pid: process.pid,
      startedAt: this.#startedAt,
      state: this.state,
      fence: this.#fence ?? null,
      loops: this.#watch.loops,
      guard: this.guardPid ?? null,
      heartbeat: this.#heartbeat.problem ?? null,
      blind: this.#blind ?? null,
      longestStallMs: Math.round(this.#stalls.longestMs),
      ...this.#ports?.status(),
    };
  }
}
