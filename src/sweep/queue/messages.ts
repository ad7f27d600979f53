// Messages of a queue, each sealed with the shared key (key-file.ts).
import type { GameId } from '../../domain/index.ts';
import type { Outcome } from '../outcome.ts';
import { isOutcome } from '../outcome.ts';
import type { Setting, Task } from '../point.ts';
import type { SharedKey } from './key-file.ts';

export type PointMessage = {
  readonly sweep: string;
  readonly key: string;
  readonly settings: readonly Setting[];
  /** Games to play; null: all. */
  readonly games: readonly GameId[] | null;
};

export type ResultMessage = {
  readonly sweep: string;
  readonly key: string;
  readonly worker: string;
  readonly outcome: Outcome;
};

/** Data of a job in the queue. */
export type JobData = { readonly sealed: string };

export const sealPoint = (key: SharedKey, sweep: string, { key: name, point, games }: Task): JobData => ({
  sealed: key.seal(
    'point',
    JSON.stringify({
      sweep,
      key: name,
      settings: point.settings,
      games: games ?? null,
    } satisfies PointMessage),
  ),
});

export const sealResult = (key: SharedKey, result: ResultMessage): string => key.seal('result', JSON.stringify(result));

/** Opens a point of the queue. Undefined when it is not signed, or belongs to another sweep or job. */
export function openPoint(
  key: SharedKey,
  sweep: string,
  id: string | undefined,
  data: unknown,
): PointMessage | undefined {
  const message = opened<PointMessage>(key, 'point', (data as Partial<JobData> | null)?.sealed);
  return message?.sweep === sweep && message.key === id ? message : undefined;
}

export function openResult(key: SharedKey, sweep: string, sealed: unknown): ResultMessage | undefined {
  const message = opened<ResultMessage>(key, 'result', sealed);
  return message?.sweep === sweep && isOutcome(message.outcome) ? message : undefined;
}

function opened<T>(key: SharedKey, kind: 'point' | 'result', sealed: unknown): T | undefined {
  const text = key.open(kind, sealed);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
