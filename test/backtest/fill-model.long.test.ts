// The fill model against the truth of a recorded game: each eighth of its offers is judged, and traded, by a
// model that was fitted on the other seven.
import type { Scenario } from '../../src/report/index.ts';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runScenario } from '../../src/backtest/run-scenario.ts';
import { fitFills, scoreOf } from '../../src/backtest/fill-fit.ts';
import { labelsIn } from '../../src/backtest/fill-labels.ts';
import type { FillModel } from '../../src/backtest/fill-model.ts';
import { takenProbability } from '../../src/backtest/fill-model.ts';
import { SHIPPED_FILL_MODEL } from '../../src/backtest/shipped-fill-model.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { findTapes, openTapes } from '../../src/backtest/tapes.ts';
import { loadOffline } from '../../src/config/index.ts';
import { beginGeneration } from '../../src/strategy/host/loader.ts';
import { backtestOptions } from '../support/backtests.ts';
import { ROOT, writeConfig } from '../support/children.ts';

const RECORDED = '../shared/data/nba-cle-min-inplay.ndjson.gz';
const TRUTH = '../shared/data/nba-cle-min-inplay.truth.ndjson.gz';
const DEPTH = 20;

const opened = async (file: string) =>
  openTapes(await findTapes([file]), { lenient: false, cache: 'none', depth: DEPTH }).market;
const known = async () => (await labelsIn(await opened(TRUTH), () => undefined)).labelled;

type Part = { readonly fromMs: number | undefined; readonly toMs: number | undefined };

async function riskFilled(
  strategy: string,
  tape: string,
  fills: Scenario,
  part: Part,
  model: FillModel = SHIPPED_FILL_MODEL,
): Promise<number> {
  const loaded = loadOffline(
    writeConfig(`exchange: { embedded: {} }
markets: { leagues: [NBA], live: true, stopBefore: 0s }
strategies: [{ use: ${ROOT}/strategies/${strategy} }]
`),
    process.env,
  );
  const { settings } = await loadCoreSettings(loaded, beginGeneration());
  const options = { ...backtestOptions(settings), ...part, fills, calibrated: { model } };
  return (await runScenario(await opened(tape), options)).result.riskFilled;
}

describe.skipIf(!existsSync(TRUTH))(`the fill model (needs ${TRUTH})`, () => {
  it('is what fit-fills makes of the labelled game, and beats any constant on blocks that it was not fitted on', async () => {
    const { model, score } = fitFills(await known(), 'shipped');
    expect(model).toEqual(SHIPPED_FILL_MODEL);
    expect(score.brier).toBeLessThan(score.brierOfConstant / 2);
    expect(Math.abs(score.riskOfModel / score.risk - 1)).toBeLessThan(0.1);
  });

  it('that is fitted before the start holds in play, and the other way round', async () => {
    const labels = await known();
    for (const isLive of [false, true]) {
      const seen = labels.filter(({ vanished }) => vanished.live === isLive);
      const unseen = labels.filter(({ vanished }) => vanished.live !== isLive);
      const { model } = fitFills(seen, 'one part');
      const score = scoreOf(unseen, takenProbability(model));
      expect(score.brier).toBeLessThan(0.7 * score.brierOfConstant);
      const missed = (risk: number): number => Math.abs(risk - score.risk);
      expect(missed(score.riskOfModel)).toBeLessThan(missed(score.riskOfConstant) / 2);
    }
  });

  it.each([
    ['two-sided.ts, id: main, params: { edge: 0.005, risk: 100 }'],
    ['two-sided.ts, id: main, params: { edge: 0.01, risk: 100 }'],
    ['two-sided.ts, id: main, params: { edge: 0.015, risk: 100 }'],
    ['two-sided.ts, id: main, params: { edge: 0.02, risk: 100 }'],
    ['join-best.ts, id: main, params: { minEdge: 0.005, risk: 100 }'],
    ['join-best.ts, id: main, params: { minEdge: 0.01, risk: 100 }'],
  ])('fills within 15 percent of the truth on blocks that it was not fitted on: %s', async (strategy) => {
    const { heldOut } = fitFills(await known(), 'held out');
    let [truth, modelled] = [0, 0];
    for (const [block, model] of heldOut.models.entries()) {
      const part = { fromMs: heldOut.bounds[block - 1], toMs: heldOut.bounds[block] };
      truth += await riskFilled(strategy, TRUTH, 'pessimistic', part);
      modelled += await riskFilled(strategy, RECORDED, 'calibrated', part, model);
    }
    expect(truth).toBeGreaterThan(1000);
    expect(Math.abs(modelled / truth - 1)).toBeLessThan(0.15);
  });
});
