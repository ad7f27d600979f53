// `backtest --look-ahead-check` of a scenario whose fill model looks ahead itself.
import { expect, it } from 'vitest';
import { STRATEGIES } from '../support/children.ts';
import { checkLookAhead, checkLookAheadFor } from '../support/look-ahead.ts';

it('backtest --look-ahead-check reports how far the fill model looks ahead, and compares up to there', async () => {
  const { code, stdout } = await checkLookAheadFor(240, STRATEGIES, '--fills', 'calibrated');
  expect(stdout).toMatch(
    /^look-ahead: none\. [\d,]{2,} intents before 20 cuts are the same bytes; whether an offer that vanished was taken, calibrated decides by what follows it, so intents of the last [\d.]+ s before a cut are not compared/m,
  );
  expect(code).toBe(0);
});

it('backtest --look-ahead-check continues with the pessimistic scenario when the fill model looks over all of a short tape', async () => {
  const { code, stdout } = await checkLookAhead(STRATEGIES, '--fills', 'calibrated');
  expect(stdout).toMatch(/^look-ahead: nothing could be compared: calibrated decides by what follows it /m);
  expect(stdout).toMatch(/^look-ahead: none\. [\d,]{4,} intents before 20 cuts are the same bytes$/m);
  expect(code).toBe(0);
});
