// The result of a run: how it ended, its final status and its request counts.
import type { ExitCode } from '../domain/index.ts';
import type { CoreStatus } from '../engine/index.ts';
import type { SentCounts } from '../exchange/index.ts';
import type { Fault } from '../setup/index.ts';

export type BotResult = {
  readonly code: ExitCode;
  readonly reason: string;
  readonly status: CoreStatus;
  readonly requests: SentCounts;
  readonly http: Readonly<Record<string, number>>;
  readonly durationMs: number;
  /** Faults of strategies that were disabled for good. */
  readonly faults: readonly Fault[];
};
