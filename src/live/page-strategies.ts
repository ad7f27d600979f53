// The strategies of a run as the page shows them: file, parameters, and the fault that disabled a strategy.
import type { Config } from '../config/index.ts';
import { configWithoutSecrets } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import type { StrategyFile } from '../page/index.ts';
import { describeParams } from '../strategy/host/index.ts';
import { shownPath } from '../terminal/index.ts';
import type { Fault } from '../setup/index.ts';

type Params = Config['strategies'][number]['params'];

/** Strategy files by strategy id. `entries` are the running strategies in the order of the configuration. */
export const strategyFiles = (
  { strategies }: Pick<Config, 'strategies'>,
  { strategies: entries }: Pick<CoreSettings, 'strategies'>,
  faults: readonly Fault[],
): Readonly<Record<string, StrategyFile>> =>
  Object.fromEntries(
    strategies.map(({ id, use, params }, index) => [
      id,
      {
        file: use,
        params: describeParams(entries[index]?.strategy, shownParams(params, index)).map((param) => ({
          ...param,
          value: param.value ?? null,
          description: param.description ?? null,
        })),
        fault: faultView(faults.find(({ strategy }) => strategy === id)),
      },
    ]),
  );

const shownParams = (params: Params, index: number): Params =>
  configWithoutSecrets(params, `strategies.${index}.params`) as Params;

function faultView(fault: Fault | undefined): StrategyFile['fault'] {
  if (fault === undefined) return null;
  const { code, text, file, line } = fault;
  return { code, text, place: file === undefined ? null : `${shownPath(file)}:${line ?? '?'}` };
}
