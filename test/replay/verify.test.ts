// A journal of another version is compared without the texts that are for people alone.
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/index.ts';
import type { JournalStep } from '../../src/journal/index.ts';
import { Verifier } from '../../src/replay/verify.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { CoreDriver, placesIn } from '../support/core-driver.ts';

/** Replays a run whose recorded commands were changed. Returns the number of the first difference, if any. */
function differenceAt(change: (command: Command) => Command, isOwnVersion: boolean): number | undefined {
  const steps: JournalStep[] = [];
  const driver = new CoreDriver();
  driver.record = (input, commands) => steps.push({ input, commands: commands.map(change), events: undefined });
  const started = driver.start([{ id: 'h', odds: 110, risk: 200 }], [{ id: 'a', odds: 110, risk: 200 }]);
  for (const place of placesIn(started)) driver.accept(place, 'o');
  driver.input({ type: 'operator', command: 'pause', by: 'test' });
  expect(steps.flatMap(({ commands }) => commands.map(({ type }) => type))).toEqual(
    expect.arrayContaining(['alert', 'place', 'cancel']),
  );
  const verifier = new Verifier(new CoreDriver().core, DEFAULT_PROFILE, isOwnVersion);
  for (const step of steps) verifier.applyStep(step);
  return verifier.difference?.seq;
}

const reworded = (command: Command): Command => {
  if (command.type === 'alert') return { ...command, message: 'other words' };
  if (command.type === 'place' || command.type === 'cancel')
    return { ...command, why: command.why.map((why) => ({ ...why, because: 'other words' })) };
  return command;
};
const reordered = (command: Command): Command =>
  command.type === 'place' ? { ...command, permit: command.permit + 1 } : command;

describe('the replay of a journal', () => {
  it('finds changed texts when the journal is of its own version', () => {
    expect(differenceAt((command) => command, true)).toBeUndefined();
    expect(differenceAt(reworded, true)).toBeDefined();
  });

  it('ignores changed texts when the journal is of another version, and finds changed orders', () => {
    expect(differenceAt(reworded, false)).toBeUndefined();
    expect(differenceAt(reordered, false)).toBeDefined();
  });
});
