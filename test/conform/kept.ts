// Journals that just keep a rule.
import type { RuleId } from '../../src/conform/rules.ts';
import type { Case } from './journal-builder.ts';
import {
  bothGone,
  cancelEvery,
  GAME,
  isOpen,
  LATE_ARRIVAL_MS,
  lookUp,
  placeEvery,
  ref,
  refusal,
  seeGame,
} from './journal-builder.ts';

export const KEPT: readonly (readonly [RuleId, ...Case])[] = [
  ['window-place', '25 places in less than 5 s', (journal) => placeEvery(journal, 25, 100, 10)],
  [
    'window-place',
    '26 places that were answered in slightly more than 5 s',
    (journal) => placeEvery(journal, 26, 200, 10),
  ],
  [
    'window-place',
    '26 places in 5 s, one of them without an answer',
    (journal) => {
      placeEvery(journal, 25, 100, 10);
      journal.fail(journal.place({ slot: 'main.late' }));
    },
  ],
  [
    'window-place',
    '26 places in 5 s, one of them never sent',
    (journal) => {
      journal.fail(journal.place({ slot: 'main.held' }), 'not-sent');
      placeEvery(journal, 25, 100, 10);
    },
  ],
  ['window-cancel', '30 cancels in less than 2 s', (journal) => cancelEvery(journal, 30, 50)],
  [
    'permit',
    'a permit that was returned and another that was used',
    (journal) => {
      journal.input({ type: 'permit', bucket: 'place', permit: 900 });
      journal.input(
        { type: 'recall', bucket: 'place', permits: 1 },
        { type: 'return', bucket: 'place', permits: [900] },
      );
      journal.place({});
    },
  ],
  [
    'throttled-wait',
    'a place at the end of the wait, and a cancel before it',
    (journal) => {
      journal.reply(journal.place({}), 429, refusal, 2);
      journal.pass(1999).cancel('o1');
      journal.pass(1).place({});
    },
  ],
  [
    'throttled-tries',
    'five attempts, and a sixth after a window',
    (journal) => {
      for (let i = 0; i < 5; i++) {
        journal.reply(journal.place({}), 429);
        journal.pass(1000);
      }
      journal.pass(4000).place({});
    },
  ],
  [
    'refused-resent',
    'another price, another size, and the same order again after an order was accepted',
    (journal) => {
      journal.reply(journal.place({}), 400);
      journal.reply(journal.place({ rung: 51 }), 403);
      journal.pass(1).accept(journal.place({ risk: 99 }), 'o');
      journal.place({});
    },
  ],
  [
    'refused-resent',
    'the same order again after a validation error in a batch, once its game was read or 30 s later',
    (journal) => {
      const wrong = { data: { createdSessions: [{ error: 'no', errorType: 'validation_error' }] } };
      journal.reply(journal.place({}), 200, wrong);
      const read = journal.read({ what: 'game', gameId: GAME });
      journal.reply(read, 200, { data: { game: {} } });
      journal.reply(journal.place({}), 200, wrong);
      journal.pass(30_000).place({});
    },
  ],
  [
    'stale-resent',
    'the same order again after a frame or a read of its game',
    (journal) => {
      journal.reply(journal.place({}), 409);
      seeGame(journal);
      journal.reply(journal.place({}), 409);
      const read = journal.read({ what: 'game', gameId: GAME });
      journal.reply(read, 200, { data: { game: {} } });
      journal.place({});
    },
  ],
  [
    'done-repeated',
    'a cancel after an edit was refused and the look-up failed, by an answer or without one',
    (journal) => {
      journal.reply(journal.edit('o1'), 404);
      journal.reply(lookUp(journal, 'o1'), 401);
      journal.reply(journal.cancel('o1'), 500);
      journal.reply(journal.edit('o2'), 404);
      journal.fail(lookUp(journal, 'o2'), 'timeout');
      journal.cancel('o2');
    },
  ],
  [
    'done-repeated',
    'a second cancel after a look-up, a list or the feed showed the order as open',
    (journal) => {
      for (const show of [
        (): void =>
          journal.reply(lookUp(journal, 'o1'), 200, {
            data: { order: { remaining: 1 } },
          }),
        (): void => journal.reply(journal.read({ what: 'open-orders' }), 200, { data: { unmatched: [{ id: 'o1' }] } }),
        (): void => isOpen(journal, 'o1'),
      ]) {
        journal.reply(journal.cancel('o1'), 404);
        show();
      }
      journal.cancel('o1');
    },
  ],
  [
    'fate-open',
    'the next order of the slot once an answer, event or look-up showed the fate of the order before',
    (journal) => {
      journal.accept(journal.place({}), 'o');
      journal.reply(journal.place({}), 409);
      seeGame(journal);
      journal.fail(journal.place({}), 'not-sent');
      journal.fail(journal.place({}));
      isOpen(journal, 'o9', ref(4));
      journal.fail(journal.edit('o9', { rung: 51 }));
      const lookUp = journal.read({ what: 'reference', ref: ref(5), gameId: GAME });
      journal.reply(lookUp, 200, { data: { unmatched: [{ id: 'o10' }], matched: [], graded: [] } });
      journal.place({});
    },
  ],
  [
    'never-landed',
    'an order given up after lateArrival and two look-ups',
    (journal) => {
      journal.fail(journal.place({}));
      journal.pass(LATE_ARRIVAL_MS);
      bothGone(journal);
      journal.alert('NEVER_LANDED', { ref: ref(1) });
      journal.place({});
    },
  ],
  [
    'lock-cancel',
    'a cancel at the end of the wait of a 423, and a cancel after the bot’s cancel-all was answered',
    (journal) => {
      journal.reply(journal.cancel('o1'), 423, refusal, 2);
      journal.pass(2000).cancel('o2');
      journal.reply(journal.cancelAll(), 200, {});
      journal.cancel('o3');
    },
  ],
  [
    'lock-retry',
    'one retry after a 423, and another after a cancel succeeded',
    (journal) => {
      for (let i = 0; i < 2; i++) {
        journal.reply(journal.cancel('o1'), 423, refusal, 1);
        journal.pass(1000);
      }
      journal.cancelled(journal.cancel('o2'), 'o2');
      journal.cancel('o1');
    },
  ],
  [
    'lock-place',
    'a place at the end of the wait',
    (journal) => {
      journal.reply(journal.cancel('o1'), 423, refusal, 1);
      journal.pass(1000).place({});
    },
  ],
  ['empty-cancel', 'a cancel of one order', (journal) => void journal.cancel('o1')],
  [
    'reference',
    'two orders with two references',
    (journal) => void journal.place({ slot: 'main.x' }, { slot: 'main.y' }),
  ],
  [
    'batch-size',
    '20 orders, and 100 ids',
    (journal) => {
      journal.place(...Array.from({ length: 20 }, (_, i) => ({ slot: `main.s${i}` })));
      journal.cancel(...Array.from({ length: 100 }, (_, i) => `o${i}`));
    },
  ],
  [
    'order-size',
    'orders of the smallest and the largest size',
    (journal) => void journal.place({ slot: 'main.x', risk: 1 }, { slot: 'main.y', risk: 1000 }),
  ],
  [
    'after-stop',
    'an edit after resume, and cancels after the stop',
    (journal) => {
      journal.input({ type: 'operator', command: 'halt' });
      journal.input({ type: 'operator', command: 'resume' });
      journal.edit('o1');
      journal.input({ type: 'operator', command: 'stop' });
      journal.cancel('o1');
    },
  ],
];
