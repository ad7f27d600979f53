// Strategy files that import names which the next version removes.
import { expect, it } from 'vitest';
import { deprecatedPrices } from '../../src/setup/index.ts';

const recorded = (file: string, source: string, imports: readonly { file: string; source: string }[] = []) => ({
  file,
  sha256: '',
  source,
  imports: imports.map((part) => ({ ...part, sha256: '' })),
});

it('names each deprecated import with its file and what replaces it, once', () => {
  const part = { file: 'model.ts', source: "import {\n  devig,\n  normalScores,\n} from 'oddsmaker/pricing';\n" };
  const warnings = deprecatedPrices([
    recorded('a.ts', "import { poissonScores, modelFor } from 'oddsmaker/pricing';\n", [part]),
    recorded('b.ts', "import { map } from 'rxjs';\n", [part]),
  ]);
  expect(warnings).toEqual([
    expect.stringMatching(/^a\.ts: poissonScores of oddsmaker\/pricing .*: use modelFor\('soccer'/),
    expect.stringMatching(/^model\.ts: normalScores .*: use modelFor\('other'/),
  ]);
});

it('says nothing of the names of others, or of other imports', () => {
  const sources = [
    "import { modelFor } from 'oddsmaker/pricing';\nconst normalScores = 1;\n",
    "import { normalScores } from './own.ts';\n",
  ];
  expect(deprecatedPrices(sources.map((source) => recorded('a.ts', source)))).toEqual([]);
});
