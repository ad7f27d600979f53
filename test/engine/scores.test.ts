// The score of a game in play as the core believes it: fresh, whole, and not running backwards.
import { describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { Scores } from '../../src/engine/scores.ts';

const GAME = 'g1' as GameId;

function scores() {
  const signals = new Map<string, number>();
  const alerts: string[] = [];
  const buffer = {
    now: 1000,
    alert: (_level: string, code: string, message: string) => void alerts.push(`${code} ${message}`),
  };
  const known = new Scores((name) => signals.get(name), buffer, 30_000);
  const send = (values: Readonly<Record<string, number>>): void => {
    for (const [name, value] of Object.entries(values)) signals.set(`${name}:${GAME}`, value);
    known.applySignals(Object.keys(values).map((name) => `${name}:${GAME}`));
  };
  return { known, send, signals, alerts, buffer };
}

describe('the score of a game', () => {
  it('is known with lead and clock, and has both scores where their sum fits the lead', () => {
    const { known, send } = scores();
    expect(known.scoreOf(GAME)).toBeUndefined();
    send({ lead: 3 });
    expect(known.scoreOf(GAME)).toBeUndefined();
    send({ clock: 0.5 });
    expect(known.scoreOf(GAME)).toEqual({ lead: 3, clock: 0.5 });
    send({ scored: 17 });
    expect(known.scoreOf(GAME)).toEqual({ lead: 3, clock: 0.5, scored: 17 });
    send({ lead: 4 });
    expect(known.scoreOf(GAME)).toEqual({ lead: 4, clock: 0.5 });
  });

  it.each([
    [
      'clock runs up',
      { clock: 0.6 },
      'SCORE_BACK the clock of a game runs up: the game has no price in play for a while',
    ],
    ['score falls', { scored: 14 }, 'SCORE_BACK the score of a game falls: the game has no price in play for a while'],
  ])('is not believed for as long as a score may be old when its %s', (_what, values, alert) => {
    const { known, send, alerts, buffer } = scores();
    send({ lead: 0, clock: 0.5, scored: 20 });
    send(values);
    expect(known.scoreOf(GAME)).toBeUndefined();
    expect(alerts).toEqual([alert]);
    buffer.now += 29_999;
    expect(known.scoreOf(GAME)).toBeUndefined();
    buffer.now += 1;
    expect(known.scoreOf(GAME)).toMatchObject({ lead: 0 });
  });

  it('may be rounded differently from one message to the next', () => {
    const { known, send, alerts } = scores();
    send({ lead: 0, clock: 0.5 });
    send({ clock: 0.5015 });
    expect(known.scoreOf(GAME)).toEqual({ lead: 0, clock: 0.5015 });
    expect(alerts).toEqual([]);
  });
});
