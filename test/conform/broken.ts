// Lives that break a rule, and what is found in them.
import type { OrderId } from '../../src/domain/index.ts';
import type { RuleId } from '../../src/conform/rules.ts';
import type { Case } from './life.ts';
import { bothGone, cancelEvery, isOpen, LATE_ARRIVAL_MS, placeEvery, ref, refusal, seeGame, START } from './life.ts';

export const BROKEN: readonly (readonly [RuleId, ...Case, found: string])[] = [
  [
    'window-place',
    '26 places in 5 s',
    (life) => placeEvery(life, 26, 190, 10),
    `window-place #53 [${Array.from({ length: 26 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'window-place',
    'more than 50 places in 10 s whose answers take so long that no 26 are certain to be in 5 s',
    (life) => {
      const places: number[] = [];
      for (let i = 0; i < 51 + 12; i++) {
        const answered = places[i - 12];
        if (answered !== undefined) life.accept(answered, `o${i}-`);
        if (i < 51) places.push(life.place({ slot: `main.s${i}` }));
        life.pass(155);
      }
    },
    `window-place #103 [${Array.from({ length: 51 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'window-place',
    '26 requests in 5 s, 429 answered to the last',
    (life) => {
      placeEvery(life, 25, 100, 10);
      life.reply(life.place({ slot: 'main.more' }), 429);
    },
    `window-place #53 [${Array.from({ length: 26 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'window-cancel',
    '31 cancels in 2 s',
    (life) => cancelEvery(life, 31, 60),
    `window-cancel #63 [${Array.from({ length: 31 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'permit',
    'a permit that was spent before',
    (life) => {
      life.place({});
      const orders = [life.order({ slot: 'main.x' })];
      life.input({ type: 'tick' }, { type: 'place', req: 2, permit: 1, orders, why: [] });
    },
    'permit #3 [2]',
  ],
  [
    'permit',
    'a permit that was given back',
    (life) => {
      life.input({ type: 'permit', bucket: 'cancel', permit: 7 });
      life.input({ type: 'recall', bucket: 'cancel', permits: 1 }, { type: 'return', bucket: 'cancel', permits: [7] });
      life.input({ type: 'tick' }, { type: 'cancel', req: 1, permit: 7, orderIds: ['o' as OrderId], why: [] });
    },
    'permit #4 [1]',
  ],
  [
    'throttled-wait',
    'a place before the wait of a 429 is over',
    (life) => {
      life.reply(life.place({}), 429, refusal, 2);
      life.pass(1999).place({});
    },
    'throttled-wait #4 [2 1]',
  ],
  [
    'throttled-wait',
    'a cancel within a second of a 429 that names no wait',
    (life) => {
      life.reply(life.cancel('o1'), 429);
      life.pass(999).cancel('o2');
    },
    'throttled-wait #4 [2 1]',
  ],
  [
    'throttled-tries',
    'a sixth try at once',
    (life) => {
      for (let i = 0; i < 5; i++) {
        life.reply(life.place({}), 429);
        life.pass(1000);
      }
      life.place({});
    },
    'throttled-tries #12 [6]',
  ],
  [
    'refused-resent',
    'the same again after a 400',
    (life) => {
      life.reply(life.place({}), 400);
      life.pass(60_000).place({});
    },
    'refused-resent #4 [2 1]',
  ],
  [
    'refused-resent',
    'the same again after a 403 to an edit',
    (life) => {
      life.reply(life.edit('o1', { rung: 44 }), 403);
      isOpen(life, 'o1');
      life.edit('o1', { rung: 44 });
    },
    'refused-resent #5 [2 1]',
  ],
  [
    'refused-resent',
    'the same again after a validation error of one in a batch',
    (life) => {
      const req = life.place({ slot: 'main.x' }, { slot: 'main.y' });
      const rests = { matched: [], unmatched: { orderID: 'o1', offered: 100, remaining: 100, odds: 105 } };
      const wrong = { error: 'no', errorType: 'validation_error' };
      life.reply(req, 200, { data: { createdSessions: [rests, wrong] } });
      life.place({ slot: 'main.y' });
    },
    'refused-resent #4 [2 1]',
  ],
  [
    'stale-resent',
    'the same again after a 409',
    (life) => {
      life.reply(life.place({}), 409);
      life.pass(250).place({});
    },
    'stale-resent #4 [2 1]',
  ],
  [
    'done-repeated',
    'a second cancel after a 404',
    (life) => {
      life.reply(life.cancel('o1'), 404);
      life.pass(1000).cancel('o1', 'o2');
    },
    'done-repeated #4 [2 1]',
  ],
  [
    'done-repeated',
    'an edit of an order that a cancel found filled',
    (life) => {
      const req = life.cancel('o1');
      life.reply(req, 200, { data: [{ success: false, sessionID: 'o1', reason: 'filled' }] });
      life.edit('o1');
    },
    'done-repeated #4 [2 1]',
  ],
  [
    'fate-open',
    'a place while the one before has no answer',
    (life) => {
      life.place({});
      life.place({ rung: 51 });
    },
    'fate-open #3 [2 1]',
  ],
  [
    'fate-open',
    'a place after a 500',
    (life) => {
      life.reply(life.place({}), 500);
      life.pass(60_000).place({});
    },
    'fate-open #4 [2 1]',
  ],
  [
    'fate-open',
    'a place after a 409 to a batch, which may have been acted on in part',
    (life) => {
      life.reply(life.place({ slot: 'main.x' }, { slot: 'main.y' }), 409);
      seeGame(life);
      life.place({ slot: 'main.x' });
    },
    'fate-open #5 [2 1]',
  ],
  [
    'fate-open',
    'a place for an order that a former run asked for',
    (life) => {
      const order = life.order();
      life.input({ type: 'boot', run: 'r2', unanswered: [{ order, sentT: START }] });
      life.place({});
    },
    'fate-open #3 [1]',
  ],
  [
    'never-landed',
    'given up after looks that came too early',
    (life) => {
      life.fail(life.place({}));
      bothGone(life);
      life.pass(LATE_ARRIVAL_MS).alert('NEVER_LANDED', { ref: ref(1) });
    },
    'never-landed #8 [1]',
  ],
  [
    'never-landed',
    'given up after one look',
    (life) => {
      life.fail(life.place({}));
      life.pass(LATE_ARRIVAL_MS);
      life.reply(life.read({ what: 'open-orders' }), 200, { data: { unmatched: [] } });
      life.alert('NEVER_LANDED', { ref: ref(1) });
    },
    'never-landed #6 [1]',
  ],
  [
    'lock-cancel',
    'a cancel during the lock of a 423',
    (life) => {
      life.reply(life.cancel('o1'), 423, refusal, 2);
      life.pass(1999).cancel('o2');
    },
    'lock-cancel #4 [2 1]',
  ],
  [
    'lock-cancel',
    'a cancel while our own cancel-all runs',
    (life) => {
      life.cancelAll();
      life.cancel('o1');
    },
    'lock-cancel #3 [2 1]',
  ],
  [
    'lock-retry',
    'a third question for an order that the lock cancels',
    (life) => {
      for (let i = 0; i < 2; i++) {
        life.reply(life.cancel('o1'), 423, refusal, 1);
        life.pass(1000);
      }
      life.cancel('o1');
    },
    'lock-retry #6 [3]',
  ],
  [
    'lock-place',
    'a place during the lock of a 423',
    (life) => {
      life.reply(life.cancel('o1'), 423, refusal, 2);
      life.pass(1000).place({});
    },
    'lock-place #4 [2 1]',
  ],
  ['empty-cancel', 'a cancel without an id', (life) => void life.cancel(), 'empty-cancel #2 [1]'],
  [
    'reference',
    'one reference for two orders',
    (life) => {
      life.accept(life.place({ ref: 'a.main.x.r1-1' }), 'o');
      life.place({ ref: 'a.main.x.r1-1' });
    },
    'reference #4 [2]',
  ],
  ['reference', 'no reference', (life) => void life.place({ ref: '' }), 'reference #2 [1]'],
  [
    'reference',
    'the reference of another instance',
    (life) => void life.place({ ref: 'b.main.#0.r1-1' }),
    'reference #2 [1]',
  ],
  [
    'reference',
    'a reference that is too long',
    (life) => void life.place({ ref: `a.main.${'x'.repeat(250)}.r1-1` }),
    'reference #2 [1]',
  ],
  [
    'batch-size',
    '21 orders',
    (life) => void life.place(...Array.from({ length: 21 }, (_, i) => ({ slot: `main.s${i}` }))),
    'batch-size #2 [1]',
  ],
  ['batch-size', 'no order', (life) => void life.place(), 'batch-size #2 [1]'],
  [
    'batch-size',
    '101 ids',
    (life) => void life.cancel(...Array.from({ length: 101 }, (_, i) => `o${i}`)),
    'batch-size #2 [1]',
  ],
  ['order-size', 'an order of half a dollar', (life) => void life.place({ risk: 0.5 }), 'order-size #2 [1]'],
  ['order-size', 'an order of 1000.01', (life) => void life.place({ risk: 1000.01 }), 'order-size #2 [1]'],
  [
    'after-stop',
    'a place after the stop',
    (life) => {
      life.input({ type: 'operator', command: 'stop' });
      life.input({ type: 'operator', command: 'resume' });
      life.place({});
    },
    'after-stop #4 [1]',
  ],
  [
    'after-stop',
    'an edit after a halt',
    (life) => {
      life.input({ type: 'operator', command: 'halt' });
      life.edit('o1');
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place during a pause',
    (life) => {
      life.input({ type: 'operator', command: 'pause' });
      life.place({});
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place after the kill switch halted by itself',
    (life) => {
      life.alert('KILL_SWITCH', { state: 'halted' });
      life.place({});
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place after the player mode changed',
    (life) => {
      life.alert('MODE_CHANGED', {}, 'the run ends');
      life.place({});
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place after the exit',
    (life) => {
      life.input({ type: 'tick' }, { type: 'exit', code: 0, reason: 'stopped' });
      life.place({});
    },
    'after-stop #3 [1]',
  ],
];
