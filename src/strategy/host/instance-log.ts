// The log that one instance of a strategy gets. Nothing here throws, whatever the strategy passes.
import type { StrategyLog } from '../log.ts';
import { plainFields, plainMessage } from '../plain.ts';
import { LONGEST_REASON } from './read-intent.ts';
import type { SeriesLog, SeriesPlace } from './series-log.ts';

export type LogPorts = {
  readonly write: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly series: Pick<SeriesLog, 'log'>;
  /** Called when a value is dropped, the first time for a reason. */
  readonly dropped: (problem: string) => void;
  /** Whether code of the strategy runs inside a step. A replay would not have what is logged outside one. */
  readonly isInStep: () => boolean;
};

export const instanceLog = (place: SeriesPlace, { write, series, dropped, isInStep }: LogPorts): StrategyLog =>
  Object.assign(
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      write(plainMessage(message).slice(0, LONGEST_REASON), plainFields(fields));
    },
    {
      series: (name: string, value: number): void => {
        const problem = isInStep() ? series.log(place, name, value) : undefined;
        if (problem !== undefined) dropped(problem);
      },
    },
  );
