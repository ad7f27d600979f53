// The figures that a gate may name.
import type { Gate } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { pathsIn } from '../report/index.ts';
import { RunFigures } from '../run/index.ts';

/**
 * Refuses a gate with an unknown figure, because a mistake would cost a window of weeks. @throws
 * OddsmakerError CONFIG_INVALID
 */
export function demandPaths(file: string, { pass, kill }: Gate): void {
  const none = new RunFigures();
  const known = pathsIn({ ...none.scenario, run: none.run });
  const named = known.filter((path) => !/^(?:phases|known)\./.test(path));
  for (const path of [...Object.keys(pass), ...Object.keys(kill)]) {
    if (known.includes(path) || /^run\.http\.\d{1,3}$/.test(path)) continue;
    throw new OddsmakerError(
      'CONFIG_INVALID',
      `${file}: there is no figure ${path}: it is one of ${named.join(', ')}, run.http.<status>; of one phase alone, phases.prematch.<figure> or phases.inplay.<figure>; of how much a figure is, known.<figure>.fills, .ofFills, .payoutShare`,
    );
  }
}
