// Game starts are wall time: while the time is uncertain, no game is quoted that may have begun (rules.md,
// 1).
import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/domain/index.ts';
import { alertsIn, cancelsIn, CoreDriver, placesIn, readsIn, START } from '../support/core-driver.ts';

const HOUR = 3_600_000;
const clock = (news: 'stepped' | 'anchored' | 'differs', uncertainMs: number): Input => ({
  type: 'clock',
  news,
  byMs: -uncertainMs,
  uncertainMs,
});

function quoting(beforeStartMs: number): CoreDriver {
  const driver = new CoreDriver();
  driver.wall = START - beforeStartMs;
  const places = placesIn(driver.start());
  for (const [index, place] of places.entries()) driver.accept(place, `o${index}-`);
  expect(driver.core.status().resting).toBe(2);
  return driver;
}

describe('a core whose wall clock was set', () => {
  it('pulls the quotes of a game that starts within the step, and quotes the game when the time is certain again', () => {
    const driver = quoting(HOUR / 2);
    const stepped = driver.input(clock('stepped', HOUR));
    expect(alertsIn(stepped, 'CLOCK_STEPPED')).toMatchObject([{ level: 'warn', fields: { uncertainMs: HOUR } }]);
    expect(cancelsIn(stepped).flatMap(({ orderIds }) => orderIds)).toHaveLength(2);
    expect(driver.core.status().wanted).toBe(0);
    const after = driver.passTime(4000);
    expect(placesIn(after)).toEqual([]);
    // any answer shows the time of the exchange
    expect(readsIn(after)).toContainEqual(expect.objectContaining({ read: { what: 'user' } }));
    driver.input(clock('anchored', 0));
    expect(driver.core.status().wanted).toBe(2);
  });

  it('continues to quote a game that starts later, until the step reaches its start', () => {
    const driver = quoting(HOUR);
    const step = HOUR / 2;
    expect(cancelsIn(driver.input(clock('stepped', step)))).toEqual([]);
    expect(driver.core.status().resting).toBe(2);
    // stopBefore is a minute
    driver.wall = START - step - 61_000;
    driver.passTime(500);
    expect(driver.core.status().wanted).toBe(2);
    driver.passTime(1000);
    expect(driver.core.status().wanted).toBe(0);
  });

  it('raises only an info alert when the time is certain again', () => {
    const driver = quoting(HOUR);
    expect(driver.input(clock('anchored', 0)).filter(({ type }) => type === 'alert')).toMatchObject([
      { level: 'info' },
    ]);
  });
});
