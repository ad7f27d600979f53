// Journals that break a rule, and the finding in each.
import type { OrderId } from '../../src/domain/index.ts';
import type { RuleId } from '../../src/conform/rules.ts';
import type { Case } from './journal-builder.ts';
import {
  bothGone,
  cancelEvery,
  isOpen,
  LATE_ARRIVAL_MS,
  lookUp,
  placeEvery,
  ref,
  refusal,
  seeGame,
  START,
} from './journal-builder.ts';

type Breach = readonly [RuleId, ...Case, found: string];

export const BROKEN: readonly Breach[] = [
  [
    'window-place',
    '26 places in 5 s',
    (journal) => placeEvery(journal, 26, 190, 10),
    `window-place #53 [${Array.from({ length: 26 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'window-place',
    '51 places in 10 s whose slow answers leave no 26 places certainly within 5 s',
    (journal) => {
      const places: number[] = [];
      for (let i = 0; i < 51 + 12; i++) {
        const answered = places[i - 12];
        if (answered !== undefined) journal.accept(answered, `o${i}-`);
        if (i < 51) places.push(journal.place({ slot: `main.s${i}` }));
        journal.pass(155);
      }
    },
    `window-place #103 [${Array.from({ length: 51 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'window-place',
    '26 requests in 5 s, the last answered with 429',
    (journal) => {
      placeEvery(journal, 25, 100, 10);
      journal.reply(journal.place({ slot: 'main.more' }), 429);
    },
    `window-place #53 [${Array.from({ length: 26 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'window-cancel',
    '31 cancels in 2 s',
    (journal) => cancelEvery(journal, 31, 60),
    `window-cancel #63 [${Array.from({ length: 31 }, (_, i) => i + 1).join(' ')}]`,
  ],
  [
    'permit',
    'a permit that was used before',
    (journal) => {
      journal.place({});
      const orders = [journal.order({ slot: 'main.x' })];
      journal.input({ type: 'tick' }, { type: 'place', req: 2, permit: 1, orders, why: [] });
    },
    'permit #3 [2]',
  ],
  [
    'permit',
    'a permit that was returned',
    (journal) => {
      journal.input({ type: 'permit', bucket: 'cancel', permit: 7 });
      journal.input(
        { type: 'recall', bucket: 'cancel', permits: 1 },
        { type: 'return', bucket: 'cancel', permits: [7] },
      );
      journal.input({ type: 'tick' }, { type: 'cancel', req: 1, permit: 7, orderIds: ['o' as OrderId], why: [] });
    },
    'permit #4 [1]',
  ],
  [
    'throttled-wait',
    'a place before the end of the wait of a 429',
    (journal) => {
      journal.reply(journal.place({}), 429, refusal, 2);
      journal.pass(1999).place({});
    },
    'throttled-wait #4 [2 1]',
  ],
  [
    'throttled-wait',
    'a cancel within a second of a 429 that names no wait',
    (journal) => {
      journal.reply(journal.cancel('o1'), 429);
      journal.pass(999).cancel('o2');
    },
    'throttled-wait #4 [2 1]',
  ],
  [
    'throttled-tries',
    'a sixth attempt within a window',
    (journal) => {
      for (let i = 0; i < 5; i++) {
        journal.reply(journal.place({}), 429);
        journal.pass(1000);
      }
      journal.place({});
    },
    'throttled-tries #12 [6]',
  ],
  [
    'refused-resent',
    'the same order again after a 400',
    (journal) => {
      journal.reply(journal.place({}), 400);
      journal.pass(60_000).place({});
    },
    'refused-resent #4 [2 1]',
  ],
  [
    'refused-resent',
    'the same edit again after a 403',
    (journal) => {
      journal.reply(journal.edit('o1', { rung: 44 }), 403);
      isOpen(journal, 'o1');
      journal.edit('o1', { rung: 44 });
    },
    'refused-resent #5 [2 1]',
  ],
  [
    'refused-resent',
    'the same order again after its validation error in a batch',
    (journal) => {
      const req = journal.place({ slot: 'main.x' }, { slot: 'main.y' });
      const rests = { matched: [], unmatched: { orderID: 'o1', offered: 100, remaining: 100, odds: 105 } };
      const wrong = { error: 'no', errorType: 'validation_error' };
      journal.reply(req, 200, { data: { createdSessions: [rests, wrong] } });
      journal.place({ slot: 'main.y' });
    },
    'refused-resent #4 [2 1]',
  ],
  [
    'stale-resent',
    'the same order again after a 409',
    (journal) => {
      journal.reply(journal.place({}), 409);
      journal.pass(250).place({});
    },
    'stale-resent #4 [2 1]',
  ],
  [
    'done-repeated',
    'a second cancel after a 404',
    (journal) => {
      journal.reply(journal.cancel('o1'), 404);
      journal.pass(1000).cancel('o1', 'o2');
    },
    'done-repeated #4 [2 1]',
  ],
  ...(['cancel', 'edit'] as const).map((kind): Breach => [
    'done-repeated',
    `a second ${kind} after a 404 and a look-up that failed`,
    (journal) => {
      journal.reply(journal[kind]('o1'), 404);
      journal.reply(lookUp(journal, 'o1'), 401);
      journal[kind]('o1');
    },
    'done-repeated #6 [3 1]',
  ]),
  [
    'done-repeated',
    'an edit of an order that a cancel found filled',
    (journal) => {
      const req = journal.cancel('o1');
      journal.reply(req, 200, { data: [{ success: false, sessionID: 'o1', reason: 'filled' }] });
      journal.edit('o1');
    },
    'done-repeated #4 [2 1]',
  ],
  [
    'fate-open',
    'a place while the previous place has no answer',
    (journal) => {
      journal.place({});
      journal.place({ rung: 51 });
    },
    'fate-open #3 [2 1]',
  ],
  [
    'fate-open',
    'a place after a 500',
    (journal) => {
      journal.reply(journal.place({}), 500);
      journal.pass(60_000).place({});
    },
    'fate-open #4 [2 1]',
  ],
  [
    'fate-open',
    'a place after a 409 to a batch that may have been executed in part',
    (journal) => {
      journal.reply(journal.place({ slot: 'main.x' }, { slot: 'main.y' }), 409);
      seeGame(journal);
      journal.place({ slot: 'main.x' });
    },
    'fate-open #5 [2 1]',
  ],
  [
    'fate-open',
    'a place in the slot of an unanswered order of an earlier run',
    (journal) => {
      const order = journal.order();
      journal.input({ type: 'boot', run: 'r2', unanswered: [{ order, sentT: START }] });
      journal.place({});
    },
    'fate-open #3 [1]',
  ],
  [
    'never-landed',
    'an order given up after look-ups that came too early',
    (journal) => {
      journal.fail(journal.place({}));
      bothGone(journal);
      journal.pass(LATE_ARRIVAL_MS).alert('NEVER_LANDED', { ref: ref(1) });
    },
    'never-landed #8 [1]',
  ],
  [
    'never-landed',
    'an order given up after one look-up',
    (journal) => {
      journal.fail(journal.place({}));
      journal.pass(LATE_ARRIVAL_MS);
      journal.reply(journal.read({ what: 'open-orders' }), 200, { data: { unmatched: [] } });
      journal.alert('NEVER_LANDED', { ref: ref(1) });
    },
    'never-landed #6 [1]',
  ],
  [
    'lock-cancel',
    'a cancel during the lock of a 423',
    (journal) => {
      journal.reply(journal.cancel('o1'), 423, refusal, 2);
      journal.pass(1999).cancel('o2');
    },
    'lock-cancel #4 [2 1]',
  ],
  [
    'lock-cancel',
    'a cancel while the bot’s own cancel-all runs',
    (journal) => {
      journal.cancelAll();
      journal.cancel('o1');
    },
    'lock-cancel #3 [2 1]',
  ],
  [
    'lock-retry',
    'a third cancel request for an order that the lock cancels',
    (journal) => {
      for (let i = 0; i < 2; i++) {
        journal.reply(journal.cancel('o1'), 423, refusal, 1);
        journal.pass(1000);
      }
      journal.cancel('o1');
    },
    'lock-retry #6 [3]',
  ],
  [
    'lock-place',
    'a place during the lock of a 423',
    (journal) => {
      journal.reply(journal.cancel('o1'), 423, refusal, 2);
      journal.pass(1000).place({});
    },
    'lock-place #4 [2 1]',
  ],
  ['empty-cancel', 'a cancel without an id', (journal) => void journal.cancel(), 'empty-cancel #2 [1]'],
  [
    'reference',
    'one reference for two orders',
    (journal) => {
      journal.accept(journal.place({ ref: 'a.main.x.r1-1' }), 'o');
      journal.place({ ref: 'a.main.x.r1-1' });
    },
    'reference #4 [2]',
  ],
  ['reference', 'an order without a reference', (journal) => void journal.place({ ref: '' }), 'reference #2 [1]'],
  [
    'reference',
    'a reference of another instance',
    (journal) => void journal.place({ ref: 'b.main.#0.r1-1' }),
    'reference #2 [1]',
  ],
  [
    'reference',
    'a reference that is too long',
    (journal) => void journal.place({ ref: `a.main.${'x'.repeat(250)}.r1-1` }),
    'reference #2 [1]',
  ],
  [
    'batch-size',
    '21 orders',
    (journal) => void journal.place(...Array.from({ length: 21 }, (_, i) => ({ slot: `main.s${i}` }))),
    'batch-size #2 [1]',
  ],
  ['batch-size', 'a place without an order', (journal) => void journal.place(), 'batch-size #2 [1]'],
  [
    'batch-size',
    '101 ids',
    (journal) => void journal.cancel(...Array.from({ length: 101 }, (_, i) => `o${i}`)),
    'batch-size #2 [1]',
  ],
  ['order-size', 'an order of half a dollar', (journal) => void journal.place({ risk: 0.5 }), 'order-size #2 [1]'],
  ['order-size', 'an order of 1000.01', (journal) => void journal.place({ risk: 1000.01 }), 'order-size #2 [1]'],
  [
    'after-stop',
    'a place after the stop',
    (journal) => {
      journal.input({ type: 'operator', command: 'stop' });
      journal.input({ type: 'operator', command: 'resume' });
      journal.place({});
    },
    'after-stop #4 [1]',
  ],
  [
    'after-stop',
    'an edit after a halt',
    (journal) => {
      journal.input({ type: 'operator', command: 'halt' });
      journal.edit('o1');
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place during a pause',
    (journal) => {
      journal.input({ type: 'operator', command: 'pause' });
      journal.place({});
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place after the kill switch halted the bot',
    (journal) => {
      journal.alert('KILL_SWITCH', { state: 'halted' });
      journal.place({});
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place after the player mode changed',
    (journal) => {
      journal.alert('MODE_CHANGED', {}, 'the run ends');
      journal.place({});
    },
    'after-stop #3 [1]',
  ],
  [
    'after-stop',
    'a place after the exit',
    (journal) => {
      journal.input({ type: 'tick' }, { type: 'exit', code: 0, reason: 'stopped' });
      journal.place({});
    },
    'after-stop #3 [1]',
  ],
];
