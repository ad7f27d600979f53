// Request windows and cancel-alls in venue time: the same plan gets the same answers when it runs `speed`
// times as fast. In wall time it does not.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WorldOptions } from '../../src/paper/index.ts';
import { InProcessExchange } from '../../src/paper/index.ts';
import { isRecord, wireProfileSchema } from '../../src/wire/index.ts';

/** Powers of two, with a clock that begins at 0, so that no time of a plan is rounded. */
const SPEEDS = [2, 4, 16];
const STEP_MS = 16;

type Step = 'place' | 'edit' | 'cancel' | 'cancelAll' | 'look';
type Plan = readonly { readonly step: Step; readonly afterMs: number }[];

/** The status of each answer and the number of open orders after it. */
function answersTo(plan: Plan, options: WorldOptions): readonly string[] {
  const { speed = 1 } = options;
  const accounts = [{ username: 'ann', password: 'ann' }];
  const x = new InProcessExchange({ startMs: 0, traders: 'none', games: 1, accounts, ...options });
  const account = x.world.venue.accounts.get('ann');
  const [game] = x.world.venue.games.values();
  let token = '';
  const ask = (path: string, body: unknown): number => {
    let status = 0;
    const headers = { authorization: token };
    x.request({ method: 'POST', path, headers, query: {}, body: JSON.stringify(body) }, (ending) => {
      if (ending === 'reset') throw new Error(`${path} was reset`);
      status = ending.status;
      const json = JSON.parse(ending.payload.text) as unknown;
      const data = isRecord(json) ? json['data'] : undefined;
      const user = isRecord(data) ? data['user'] : undefined;
      if (isRecord(user) && typeof user['auth'] === 'string') token = user['auth'];
    });
    return status;
  };
  ask('/user/login', { username: 'ann', password: 'ann' });
  let atMs = 0;
  return plan.map(({ step, afterMs }) => {
    atMs += afterMs;
    x.advanceTo(atMs / speed);
    // housekeeping follows the wall clock at any speed
    x.world.tick();
    const [first] = account?.open.keys() ?? [];
    const order = {
      gameID: game?.header.id,
      type: 'moneyline',
      side: game?.header.home.id,
      odds: 110,
      risk: 1,
    };
    const status = {
      place: () => ask('/session/v2/place', { orders: [{ ...order, orderType: 'post' }] }),
      edit: () => ask('/session/editOrder', { sessionID: first, orderOdds: 120, orderVolume: 1, expiryChange: 0 }),
      cancel: () => ask('/session/cancel', { sessionID: first ?? 'unknown' }),
      cancelAll: () => ask('/session/cancelAllOrders', {}),
      look: () => ask('/user/getUnmatched', {}),
    }[step]();
    return `${step} ${status} ${account?.open.size}`;
  });
}

const steps = fc.constantFrom<Step>('place', 'place', 'place', 'place', 'edit', 'cancel', 'cancelAll', 'look');
const plans: fc.Arbitrary<Plan> = fc.array(
  fc.record({ step: steps, afterMs: fc.integer({ min: 0, max: 20 }).map((steps) => steps * STEP_MS) }),
  { minLength: 40, maxLength: 120, size: 'max' },
);

/** A cancel queue that fills at once and drains one cancel per quarter of a second. */
const profile = wireProfileSchema.parse({ cancelQueueSize: 2, cancelQueuePerSecond: 4 });

it('an exchange with windows in venue time gives a plan the same answers at any speed', () => {
  fc.assert(
    fc.property(plans, fc.constantFrom(...SPEEDS), (plan, speed) => {
      expect(answersTo(plan, { profile, speed, windows: 'venue' })).toEqual(answersTo(plan, { profile }));
    }),
    { numRuns: 40 },
  );
});

it.each([
  ['wall', 25, 29],
  ['venue', 60, 0],
] as const)(
  'an exchange with windows in %s time accepts %i of 60 places, 250 ms apart and at ten times the speed',
  (windows, taken, open) => {
    const plan: Plan = [
      ...Array.from({ length: 60 }, () => ({ step: 'place', afterMs: 250 }) as const),
      { step: 'cancelAll', afterMs: 0 },
      { step: 'look', afterMs: 4_000 },
    ];
    const answers = answersTo(plan, { speed: 10, windows });
    expect(answers.filter((answer) => answer.startsWith('place 200'))).toHaveLength(taken);
    // 60 orders drain within four seconds of venue time, at 15 per second
    if (open === 0) expect(answers.at(-1)).toBe('look 200 0');
    else expect(answers.at(-1)).toMatch(/^look 200 [1-9]/);
  },
);
