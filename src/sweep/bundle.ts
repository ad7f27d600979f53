// Everything that the points of a sweep have in common, as one text: what is in it, and nothing else, decides what a point comes to.
// A worker on another machine gets just this text; threads of this process play from it as well, so that both do the same.
import type { Scenario } from '../report/index.ts';
import { createHash } from 'node:crypto';
import type { Latency, Calibrated } from '../backtest/index.ts';
import type { Config, LoadedConfig, Overrides } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';
import type { GameResult, GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { RecordedStrategy } from '../journal/index.ts';
import type { BundledTape } from './bundled-tape.ts';
import type { Setting } from './point.ts';
import { wholeStrategies } from '../setup/index.ts';

export type SweepBundle = {
  /** With its build: another one may play a point otherwise. */
  readonly version: string;
  /** Effective, without account and secrets. */
  readonly config: Config;
  readonly configFile: string;
  readonly strategies: readonly RecordedStrategy[];
  /** Where the settings of a point go, by their names. */
  readonly paths: Readonly<Record<string, Overrides[number]['path']>>;
  readonly scenario: Scenario;
  readonly calibrated: Calibrated;
  readonly latency: Latency;
  readonly signalLatency: Latency;
  readonly seed: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly results: readonly (readonly [GameId, GameResult])[] | null;
  readonly depth: number | null;
  readonly lenient: boolean;
  readonly objective: string;
  /** In the order in which they are read. */
  readonly tapes: readonly BundledTape[];
};

/** What a backtest takes of a configuration: it has an account, a page and people to alert of its own, or none. */
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

/** @throws OddsmakerError SWEEP_INVALID when a strategy cannot be taken along */
export function checkStrategies(strategies: readonly RecordedStrategy[]): void {
  if (wholeStrategies({ strategies }) !== undefined) return;
  const lacking = strategies.flatMap((one) => [one, ...(one.imports ?? [])]).find(({ source }) => source === undefined);
  throw new OddsmakerError(
    'SWEEP_INVALID',
    `${lacking?.file ?? 'a strategy'} is no text, or longer than 1 MiB: a sweep takes strategy files and what they import along as text, so put data elsewhere`,
  );
}

export const bundleText = (bundle: SweepBundle): string => JSON.stringify(bundle);

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The configuration of a point. */
export function configAt(
  { config, paths }: Pick<SweepBundle, 'config' | 'paths'>,
  settings: readonly Setting[],
): Config {
  const changed = structuredClone(config);
  for (const { name, value } of settings) {
    const path = paths[name];
    if (path === undefined) throw new OddsmakerError('SWEEP_INVALID', `there is no setting ${name}`);
    let at = changed as unknown as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) {
      const inner = at[key];
      if (typeof inner !== 'object' || inner === null) at[key] = {};
      at = at[key] as Record<string | number, unknown>;
    }
    at[path.at(-1) ?? ''] = value;
  }
  return changed;
}
