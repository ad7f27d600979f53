// The parts that a bot is created with, and the view of its status.
import type { GateMark } from '../config/index.ts';
import type { BotFigures, Clocks, Log, SafetyNet } from '../ops/index.ts';
import type { Recorder } from '../tape/index.ts';
import type { BotMemory } from './bot-memory.ts';

/** Status of a bot without the figures of its safety net. */
export type BotView = Omit<BotFigures, 'state' | 'problems' | 'loops' | 'signals' | 'guarded' | 'inPlay'> & {
  readonly journal: string | undefined;
};

/** The part of the safety net that the bot uses. */
export type BotNet = Pick<
  SafetyNet,
  'beginRun' | 'loopCompleted' | 'mayPlace' | 'fault' | 'ending' | 'ended' | 'followsDead'
>;

export type BotParts = {
  readonly log: Log;
  readonly net: BotNet;
  /** State that survives the run. Absent when none is kept. */
  readonly memory?: BotMemory;
  /** Creates the tape recorder. `token` returns the session token, which is removed from tapes. */
  readonly recorder?: (token: () => string | undefined) => Recorder;
  readonly clocks?: Clocks;
  /** The gate that the run is judged by. It is written to the journal. */
  readonly gate?: GateMark | undefined;
  /** Path of the list of resting orders for the next run. Absent when none is kept. */
  readonly restingFile?: string | undefined;
};
