// What a bot is given, and what can be seen of it.
import type { GateMark } from '../config/index.ts';
import type { BotFigures, Clocks, Log, SafetyNet } from '../ops/index.ts';
import type { Recorder } from '../tape/index.ts';
import type { BotMemory } from './bot-memory.ts';

/** What can be seen of a bot, but for what its safety net knows. */
export type BotView = Omit<BotFigures, 'state' | 'problems' | 'loops' | 'signals' | 'guarded' | 'inPlay'> & {
  readonly journal: string | undefined;
};

/** The safety nets, as far as the bot itself must know of them. */
export type BotNet = Pick<
  SafetyNet,
  'begin' | 'loopCompleted' | 'mayPlace' | 'fault' | 'ending' | 'ended' | 'followsDead'
>;

export type BotParts = {
  readonly log: Log;
  readonly net: BotNet;
  /** Undefined: nothing outlives the run. */
  readonly memory?: BotMemory;
  /** Given the way to the session's token, which must not be on a tape. */
  readonly recorder?: (token: () => string | undefined) => Recorder;
  readonly clocks?: Clocks;
  /** What the run is judged by later; its journal has it. */
  readonly gate?: GateMark | undefined;
  /** Where the resting orders are kept for the next run; absent: nowhere. */
  readonly restingFile?: string | undefined;
};
