// Everything that the points of a sweep share, as one text, which together with the settings of a point
// determines its result. Workers on other machines get this text, and threads of this process play from it
// too, so that both produce the same results.
import type { Scenario } from '../report/index.ts';
import { createHash } from 'node:crypto';
import type { Latency, Calibrated, GivenTimes, Job } from '../backtest/index.ts';
import type { Config, LoadedConfig, Overrides } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';
import type { GameResult, GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { BundledTape } from './bundled-tape.ts';
import type { Setting } from './point.ts';
import { wholeStrategies } from '../setup/index.ts';

export type SweepBundle = {
  /** Version with its build: another version may give other results. */
  readonly version: string;
  /** The effective configuration without account and secrets. */
  readonly config: Config;
  readonly configFile: string;
  readonly strategies: readonly RecordedStrategy[];
  /** The place of each setting in the configuration, by the name of the setting. */
  readonly paths: Readonly<Record<string, Overrides[number]['path']>>;
  readonly scenario: Scenario;
  readonly calibrated: Calibrated;
  readonly latency: Latency;
  readonly signalLatency: Latency;
  /** The virtual time of strategies for an input. Absent: they take none. */
  readonly strategyLatency?: GivenTimes;
  readonly seed: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly results: readonly (readonly [GameId, GameResult])[] | null;
  readonly depth: number | null;
  readonly lenient: boolean;
  readonly objective: string;
  /** Tapes in the order in which they are read. */
  readonly tapes: readonly BundledTape[];
  /** The days that are played one after the other. Null: one run plays all tapes. */
  readonly jobs: readonly Job[] | null;
};

/** The part of a configuration that a backtest uses: without account, alerts and tokens of the page. */
export function withoutAccount({ config }: Pick<LoadedConfig, 'config'>): Config {
  const { exchange, ...rest } = redactedConfig(config) as Config;
  const { restUrl: _rest, socketUrl: _socket, username: _name, password: _password, ...played } = exchange;
  return {
    ...rest,
    exchange: played,
    alerts: [],
    ops: { ...rest.ops, token: null, viewToken: null },
  };
}

/**
 * Checks that every strategy and import can be sent as text. @throws OddsmakerError SWEEP_INVALID when one
 * cannot
 */
export function checkStrategies(strategies: readonly RecordedStrategy[]): void {
  if (wholeStrategies({ strategies }) !== undefined) return;
  const lacking = strategies
    .flatMap((strategy) => [strategy, ...(strategy.imports ?? [])])
    .find(({ source }) => source === undefined);
  throw new OddsmakerError(
    'SWEEP_INVALID',
    `${lacking?.file ?? 'a strategy'} is not text, or is longer than 1 MiB: a sweep sends strategy files and their imports as text, so keep data in other files`,
  );
}

export const bundleText = (bundle: SweepBundle): string => JSON.stringify(bundle);

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The configuration with the settings of a point. @throws OddsmakerError SWEEP_INVALID when a setting has no
 * path
 */
export function configAt(
  { config, paths }: Pick<SweepBundle, 'config' | 'paths'>,
  settings: readonly Setting[],
): Config {
  const changed = structuredClone(config);
  for (const { name, value } of settings) {
    const path = paths[name];
    if (path === undefined) throw new OddsmakerError('SWEEP_INVALID', `there is no setting ${name}`);
    let parent = changed as unknown as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) {
      const inner = parent[key];
      if (typeof inner !== 'object' || inner === null) parent[key] = {};
      parent = parent[key] as Record<string | number, unknown>;
    }
    parent[path.at(-1) ?? ''] = value;
  }
  return changed;
}
