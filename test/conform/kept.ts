// Lives that keep a rule by a hair.
import type { OrderId } from '../../src/domain/index.ts';
import type { RuleId } from '../../src/conform/rules.ts';
import type { Case } from './life.ts';
import { bothGone, cancelEvery, GAME, isOpen, LATE_ARRIVAL_MS, placeEvery, ref, refusal, seeGame } from './life.ts';

export const KEPT: readonly (readonly [RuleId, ...Case])[] = [
  ['window-place', '25 places in less than 5 s', (life) => placeEvery(life, 25, 100, 10)],
  ['window-place', '26 places that were answered in 5 s and a bit', (life) => placeEvery(life, 26, 200, 10)],
  [
    'window-place',
    '26 places in 5 s, one of them without an answer',
    (life) => {
      placeEvery(life, 25, 100, 10);
      life.fail(life.place({ slot: 'main.late' }));
    },
  ],
  [
    'window-place',
    '26 places in 5 s, one of them never sent',
    (life) => {
      life.fail(life.place({ slot: 'main.held' }), 'not-sent');
      placeEvery(life, 25, 100, 10);
    },
  ],
  ['window-cancel', '30 cancels in less than 2 s', (life) => cancelEvery(life, 30, 50)],
  [
    'permit',
    'a permit that was given back and another that was spent',
    (life) => {
      life.input({ type: 'permit', bucket: 'place', permit: 900 });
      life.input({ type: 'recall', bucket: 'place', permits: 1 }, { type: 'return', bucket: 'place', permits: [900] });
      life.place({});
    },
  ],
  [
    'throttled-wait',
    'a place when the wait is over, and a cancel before',
    (life) => {
      life.reply(life.place({}), 429, refusal, 2);
      life.pass(1999).cancel('o1');
      life.pass(1).place({});
    },
  ],
  [
    'throttled-tries',
    'five tries, and a sixth after a window',
    (life) => {
      for (let i = 0; i < 5; i++) {
        life.reply(life.place({}), 429);
        life.pass(1000);
      }
      life.pass(4000).place({});
    },
  ],
  [
    'refused-resent',
    'another price, another size, and the same again after something was accepted',
    (life) => {
      life.reply(life.place({}), 400);
      life.reply(life.place({ rung: 51 }), 403);
      life.pass(1).accept(life.place({ risk: 99 }), 'o');
      life.place({});
    },
  ],
  [
    'refused-resent',
    'the same again after a validation error of one in a batch, once its game was read, or 30 s later',
    (life) => {
      const wrong = { data: { createdSessions: [{ error: 'no', errorType: 'validation_error' }] } };
      life.reply(life.place({}), 200, wrong);
      const read = life.read({ what: 'game', gameId: GAME });
      life.reply(read, 200, { data: { game: {} } });
      life.reply(life.place({}), 200, wrong);
      life.pass(30_000).place({});
    },
  ],
  [
    'stale-resent',
    'the same again after a frame of its game, or a read of it',
    (life) => {
      life.reply(life.place({}), 409);
      seeGame(life);
      life.reply(life.place({}), 409);
      const read = life.read({ what: 'game', gameId: GAME });
      life.reply(read, 200, { data: { game: {} } });
      life.place({});
    },
  ],
  [
    'done-repeated',
    'a second cancel after a look-up, a list or the feed showed it open',
    (life) => {
      for (const show of [
        (): void =>
          life.reply(life.read({ what: 'order', orderId: 'o1' as OrderId }), 200, {
            data: { order: { remaining: 1 } },
          }),
        (): void => life.reply(life.read({ what: 'open-orders' }), 200, { data: { unmatched: [{ id: 'o1' }] } }),
        (): void => isOpen(life, 'o1'),
      ]) {
        life.reply(life.cancel('o1'), 404);
        show();
      }
      life.cancel('o1');
    },
  ],
  [
    'fate-open',
    'the next order of the slot once an answer decided, or anything named the one before',
    (life) => {
      life.accept(life.place({}), 'o');
      life.reply(life.place({}), 409);
      seeGame(life);
      life.fail(life.place({}), 'not-sent');
      life.fail(life.place({}));
      isOpen(life, 'o9', ref(4));
      life.fail(life.edit('o9', { rung: 51 }));
      const look = life.read({ what: 'reference', ref: ref(5), gameId: GAME });
      life.reply(look, 200, { data: { unmatched: [{ id: 'o10' }], matched: [], graded: [] } });
      life.place({});
    },
  ],
  [
    'never-landed',
    'given up after lateArrival and two looks',
    (life) => {
      life.fail(life.place({}));
      life.pass(LATE_ARRIVAL_MS);
      bothGone(life);
      life.alert('NEVER_LANDED', { ref: ref(1) });
      life.place({});
    },
  ],
  [
    'lock-cancel',
    'a cancel when the wait of a 423 is over, and one after our cancel-all was answered',
    (life) => {
      life.reply(life.cancel('o1'), 423, refusal, 2);
      life.pass(2000).cancel('o2');
      life.reply(life.cancelAll(), 200, {});
      life.cancel('o3');
    },
  ],
  [
    'lock-retry',
    'one retry after a 423, and another when a cancel was let through',
    (life) => {
      for (let i = 0; i < 2; i++) {
        life.reply(life.cancel('o1'), 423, refusal, 1);
        life.pass(1000);
      }
      life.cancelled(life.cancel('o2'), 'o2');
      life.cancel('o1');
    },
  ],
  [
    'lock-place',
    'a place when the wait is over',
    (life) => {
      life.reply(life.cancel('o1'), 423, refusal, 1);
      life.pass(1000).place({});
    },
  ],
  ['empty-cancel', 'a cancel of one order', (life) => void life.cancel('o1')],
  ['reference', 'two orders with two references', (life) => void life.place({ slot: 'main.x' }, { slot: 'main.y' })],
  [
    'batch-size',
    '20 orders, and 100 ids',
    (life) => {
      life.place(...Array.from({ length: 20 }, (_, i) => ({ slot: `main.s${i}` })));
      life.cancel(...Array.from({ length: 100 }, (_, i) => `o${i}`));
    },
  ],
  [
    'order-size',
    'the smallest and the largest',
    (life) => void life.place({ slot: 'main.x', risk: 1 }, { slot: 'main.y', risk: 1000 }),
  ],
  [
    'after-stop',
    'an edit after resume, and cancels after the stop',
    (life) => {
      life.input({ type: 'operator', command: 'halt' });
      life.input({ type: 'operator', command: 'resume' });
      life.edit('o1');
      life.input({ type: 'operator', command: 'stop' });
      life.cancel('o1');
    },
  ],
];
