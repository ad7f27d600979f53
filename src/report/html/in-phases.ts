// Shows figures by phase: pre-match first, then in play, the sum last.
import { PHASES, PHASE_NAMES } from '../../domain/index.ts';
import type { ScenarioFigures, SectionFigures } from '../../run/index.ts';
import { remark, table } from './markup.ts';

/** Number of fills of a phase, settled or not. */
export const fillsIn = ({ identity }: Pick<SectionFigures, 'identity'>): number =>
  identity.fills + identity.unpriced + identity.open;

/** The sections of each phase and of both, with their names. */
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

/**
 * One part per phase and one for the sum. A phase without fills gets a line; the sum is left out when all
 * fills are in one phase.
 */
export function inPhases(
  figures: ScenarioFigures,
  show: (part: SectionFigures, name: string, key: 'prematch' | 'inplay' | 'sum') => string,
): string {
  const isOne = PHASES.some((phase) => fillsIn(figures.phases[phase]) === fillsIn(figures));
  return partsOf(figures)
    .map(({ key, name, of: part }) => {
      if (key === 'sum') return isOne ? '' : `<h3 class="phase">${name}</h3>${show(part, name, key)}`;
      return `<h3 class="phase">${name}</h3>${fillsIn(part) === 0 ? remark('No fill.') : show(part, name, key)}`;
    })
    .join('\n');
}

type Cells = Parameters<typeof table>[1][number];

/** A table with one row per phase and one for the sum. */
export const phaseTable = (
  head: readonly string[],
  figures: ScenarioFigures,
  cells: (part: SectionFigures) => Cells,
): string =>
  table(
    ['phase', ...head],
    partsOf(figures).map(({ name, of: part }) => [name, ...cells(part)]),
    true,
  );
