// Figures by phase: pre-match first, in play, the sum last.
import { PHASES, PHASE_NAMES } from '../../domain/index.ts';
import type { ScenarioFigures, SectionFigures } from '../../run/index.ts';
import { remark, table } from './markup.ts';

/** Fills of a phase, settled or not. */
export const fillsIn = ({ identity }: Pick<SectionFigures, 'identity'>): number =>
  identity.fills + identity.unpriced + identity.open;

/** The sections of each phase and of both, with what they are called. */
export const partsOf = (
  figures: ScenarioFigures,
): readonly {
  readonly key: 'prematch' | 'inplay' | 'sum';
  readonly name: string;
  readonly of: SectionFigures;
}[] => [
  ...PHASES.map((key) => ({ key, name: PHASE_NAMES[key], of: figures.phases[key] })),
  { key: 'sum', name: 'both', of: figures },
];

/** A part for each; of a phase without a fill a line, and the sum is not repeated where all fills are of one phase. */
export function inPhases(
  figures: ScenarioFigures,
  show: (of: SectionFigures, name: string, key: 'prematch' | 'inplay' | 'sum') => string,
): string {
  const isOne = PHASES.some((phase) => fillsIn(figures.phases[phase]) === fillsIn(figures));
  return partsOf(figures)
    .map(({ key, name, of }) => {
      if (key === 'sum') return isOne ? '' : `<h3 class="phase">${name}</h3>${show(of, name, key)}`;
      return `<h3 class="phase">${name}</h3>${fillsIn(of) === 0 ? remark('No fill.') : show(of, name, key)}`;
    })
    .join('\n');
}

type Cells = Parameters<typeof table>[1][number];

/** A row for each. */
export const phaseTable = (
  head: readonly string[],
  figures: ScenarioFigures,
  cells: (of: SectionFigures) => Cells,
): string =>
  table(
    ['phase', ...head],
    partsOf(figures).map(({ name, of }) => [name, ...cells(of)]),
    true,
  );
