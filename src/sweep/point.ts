// One point of a sweep: a value for each parameter, and the games that it is played on.
import { createHash } from 'node:crypto';
import type { GameId } from '../domain/index.ts';

/** A value with its text, as the command line or a report shows it. */
export type Value = { readonly text: string; readonly value: unknown };

/** `name`: `<strategy>.<parameter>`, or a key of the configuration. */
export type Setting = Value & { readonly name: string };

export type Point = {
  /** Number from 1 on, in the order of the search; 0: the present configuration. */
  readonly number: number;
  readonly settings: readonly Setting[];
};

/** One run: a point on some games, or on all of them. */
export type Task = {
  readonly point: Point;
  /** Games in the order of their ids; undefined: all games. */
  readonly games: readonly GameId[] | undefined;
  /** Identifies the task in a queue and in the results: a hash of the inputs, settings and games. */
  readonly key: string;
};

/** Makes a task. `inputs`: the hash of everything else on which the result depends. */
export function taskOf(inputs: string, point: Point, games: readonly GameId[] | undefined): Task {
  const settings = point.settings.map(({ name, value }) => [name, value]);
  const key = createHash('sha256')
    .update(JSON.stringify([inputs, settings, games ?? 'all']))
    .digest('hex');
  return { point, games, key };
}

export const settingsText = ({ number, settings }: Point): string =>
  number === 0 ? 'the present setting' : settings.map(({ name, text }) => `${name}=${text}`).join(' ');

/** The values of a point by the names of its settings. */
export const valuesIn = ({ settings }: Point): Readonly<Record<string, unknown>> =>
  Object.fromEntries(settings.map(({ name, value }) => [name, value]));
