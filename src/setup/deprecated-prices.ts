// Names of `oddsmaker/pricing` that the next version removes, found in the strategy files of a configuration.
import type { RecordedStrategy } from '../journal/index.ts';

/** What replaces each. */
const REPLACED: Readonly<Record<string, string>> = {
  ScoreModel: 'GameModel, made by modelFor',
  normalScores: "modelFor('other', { margin, total, marginDeviation, totalDeviation })",
  poissonScores: "modelFor('soccer', { home, away }), or 'hockey'",
};
const IMPORT = /\bimport\b([^;]*?)\bfrom\s*['"]oddsmaker\/pricing['"]/g;

/** A warning for each deprecated name that a file imports. */
export function deprecatedPrices(strategies: readonly RecordedStrategy[]): readonly string[] {
  const files = strategies.flatMap((strategy) => [strategy, ...(strategy.imports ?? [])]);
  const warnings = files.flatMap(({ file, source = '' }) =>
    [...source.matchAll(IMPORT)].flatMap(([, imported = '']) =>
      Object.entries(REPLACED).flatMap(([name, instead]) =>
        new RegExp(`\\b${name}\\b`).test(imported)
          ? [
              `${file}: ${name} of oddsmaker/pricing does not know how a level score ends, and the next version removes it: use ${instead}`,
            ]
          : [],
      ),
    ),
  );
  return [...new Set(warnings)];
}
