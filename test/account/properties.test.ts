// The account believes the same from the same facts, in any order and any number of repetitions: by
// reference, by id or by both, late or early. The resulting holdings are checked against the facts
// themselves.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, FactKind, Account } from '../../src/account/index.ts';
import type { OrderRef, Side } from '../../src/domain/index.ts';
import { fillOf, id, LATE_ARRIVAL_MS, signatureOf, MONEYLINE, ref, send, usd, withAccount } from './scene.ts';

const RUNS = Number(process.env['HUNT'] ?? 400);
const SIDES: readonly Side[] = ['home', 'away', 'home'];
/** Orders that look different, so that their signatures distinguish them. */
const DOLLARS = [100, 100, 60] as const;
const ORDERS = [0, 1, 2] as const;
type Which = (typeof ORDERS)[number];
type Naming = 'ref' | 'id' | 'both';

const refOf = (which: Which): OrderRef => ref(`${which + 1}`);
const sideOf = (which: Which): Side => SIDES[which] ?? 'home';
const idOf = (which: Which) => id(`o${which}`);

/** Fills of an order together are never more than its size. */
const fillsOf = (which: Which) => [0, 1].map((n) => fillOf(`t${which}${n}`, DOLLARS[which] * (n === 0 ? 0.4 : 0.6)));

const saying: fc.Arbitrary<(which: Which) => FactKind> = fc.oneof(
  fc.constant(() => ({ type: 'resting' }) as const),
  fc
    .constantFrom(0, 1)
    .map((n) => (which: Which): FactKind => ({ type: 'fill', fill: fillsOf(which)[n] ?? fillOf('t', 1) })),
  fc.constant((which: Which): FactKind => ({ type: 'total', filled: usd(DOLLARS[which] * 0.4) })),
  fc.constant((): FactKind => ({ type: 'gone', total: undefined })),
  fc.constant((): FactKind => ({ type: 'gone-unexplained' })),
  fc.constant((): FactKind => ({ type: 'fills-read' })),
);

const fact: fc.Arbitrary<{ readonly which: Which; readonly fact: Fact }> = fc
  .record({
    which: fc.constantFrom(...ORDERS),
    naming: fc.constantFrom<Naming>('ref', 'id', 'both'),
    from: fc.constantFrom('event', 'reply', 'list', 'look-up', 'trail'),
    askedAt: fc.integer({ min: 1, max: 50_000 }),
    tookMs: fc.integer({ min: 0, max: 5000 }),
    kind: saying,
    isSigned: fc.boolean(),
  })
  .map(({ which, naming, from, askedAt, tookMs, kind, isSigned }) => ({
    which,
    fact: {
      ...(naming === 'id' ? {} : { ref: refOf(which) }),
      ...(naming === 'ref' ? {} : { orderId: idOf(which) }),
      from,
      ...(from === 'event' ? {} : { askedAt }),
      seenAt: askedAt + tookMs,
      ...(isSigned && naming === 'id' ? { signature: signatureOf(sideOf(which), DOLLARS[which]) } : {}),
      kind: kind(which),
    },
  }));

function believe(facts: readonly { readonly which: Which; readonly fact: Fact }[]): Account {
  const account = withAccount();
  for (const which of ORDERS)
    account.applyPlacing(send(account, refOf(which), sideOf(which), DOLLARS[which]), 'silent');
  // every name is known in the end
  const named = ORDERS.map((which): { readonly which: Which; readonly fact: Fact } => ({
    which,
    fact: {
      ref: refOf(which),
      orderId: idOf(which),
      from: 'list',
      askedAt: 1,
      seenAt: 2,
      kind: { type: 'named' },
    },
  }));
  for (const { which, fact: reported } of [...facts, ...named]) {
    account.beginStep(reported.seenAt);
    account.record(reported, reported.kind.type === 'fill' ? { market: MONEYLINE, side: sideOf(which) } : undefined);
  }
  return account;
}

const shown = (account: Account): unknown => ({
  orders: ORDERS.map((which) => {
    const order = account.find(undefined, refOf(which));
    const { status, filled, bound, landed, id: name } = order ?? {};
    return { status, filled, bound, landed, id: name?.orderId };
  }),
  position: account.positionIn(MONEYLINE.id),
  locked: account.locked,
  counts: { ...account.counts, unknownEver: 0 },
});

describe('the account', () => {
  it('believes the same from the same facts in any order and with repetitions', () => {
    fc.assert(
      fc.property(
        fc.array(fact, { maxLength: 14 }).chain((facts) =>
          fc.record({
            facts: fc.constant(facts),
            others: fc.shuffledSubarray(facts, { minLength: facts.length }),
            again: fc.subarray(facts),
          }),
        ),
        ({ facts, others, again }) => {
          expect(shown(believe([...others, ...again]))).toEqual(shown(believe(facts)));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('the account, whatever is reported,', () => {
  it('counts a fill once, in the position and in its order, and never lowers a bound below the known amount', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 20 }), (facts) => {
        const account = believe(facts);
        const fills = new Map<string, { readonly which: Which; readonly risk: number }>();
        for (const { which, fact: reported } of facts)
          if (reported.kind.type === 'fill')
            fills.set(reported.kind.fill.txId, { which, risk: reported.kind.fill.risk });
        const sum = (isIncluded: (which: Which) => boolean): number =>
          [...fills.values()].reduce((all, { which, risk }) => all + (isIncluded(which) ? risk : 0), 0);
        expect(account.positionIn(MONEYLINE.id).staked).toBe(sum(() => true));
        expect(account.counts).toMatchObject({ fills: fills.size, riskFilled: sum(() => true) });
        let locked = 0;
        for (const which of ORDERS) {
          const order = account.find(undefined, refOf(which));
          if (order === undefined) throw new Error('an order is lost');
          expect(order.filled).toBe(sum((other) => other === which));
          expect(order.bound).toBeLessThanOrEqual(usd(DOLLARS[which]) - order.filled);
          const isEnded = order.status === 'filled' || order.status === 'cancelled';
          if (!isEnded) expect(order.bound).toBe(usd(DOLLARS[which]) - order.filled);
          locked += order.bound;
        }
        expect(account.locked).toBe(locked);
      }),
      { numRuns: RUNS },
    );
  });

  it('draws no conclusion about an edit from an answer that was requested before the edit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 10_000 }),
        fc.integer({ min: -5000, max: 5000 }).filter((ms) => ms !== 0),
        fc.constantFrom<'look-up' | 'trail' | 'list'>('look-up', 'trail', 'list'),
        (editedAt, later, from) => {
          const account = withAccount();
          const old = send(account, ref('1'));
          account.record({
            ref: old.ref,
            orderId: id('o'),
            from: 'reply',
            seenAt: 1,
            kind: { type: 'resting' },
          });
          account.applyPlacing(old, 'answered');
          account.beginStep(editedAt);
          account.applySent(
            { ...old, ref: ref('2') },
            { strategy: old.strategy, key: old.key },
            { req: 77, t: 0, replaces: old },
          );
          account.beginStep(editedAt + 6000);
          account.applyEnding(old.id, 77, 'silent');
          expect(old.status).toBe('unknown');
          account.beginStep(editedAt + 7000);
          account.record({
            orderId: id('o'),
            from,
            askedAt: editedAt + later,
            seenAt: editedAt + 7000,
            kind: { type: 'resting' },
          });
          expect(old.status).toBe(later > 0 ? 'open' : 'unknown');
          expect(old.bound).toBe(usd(100));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('the memory of the account', () => {
  it('keeps no ended orders once a list was read past the horizon, but keeps the fills of filled orders', () => {
    const account = withAccount();
    for (let n = 0; n < 2000; n++) {
      const order = send(account, ref(`${n}`));
      const report = { ref: order.ref, orderId: id(`o${n}`), from: 'event', seenAt: 1 } as const;
      account.record({ ...report, kind: { type: 'resting' } });
      if (n % 2 === 0) account.record({ ...report, kind: { type: 'fill', fill: fillOf(`t${n}`, 100) } });
      else account.record({ ...report, kind: { type: 'gone', total: undefined } });
    }
    account.beginStep(LATE_ARRIVAL_MS + 3000);
    account.applyRead(LATE_ARRIVAL_MS + 3000);
    for (let n = 0; n < 2000; n++) expect(account.find(id(`o${n}`), ref(`${n}`))).toBeUndefined();
    expect([...account.holdings.open]).toHaveLength(1000);
    // reported once more, and late: nothing is counted again
    account.record(
      { ref: ref('0'), from: 'list', seenAt: 1e6, kind: { type: 'fill', fill: fillOf('t0', 100) } },
      { market: MONEYLINE, side: 'home' },
    );
    expect(account.counts).toMatchObject({ fills: 1000, placed: 2000 });
    expect(account.positionIn(MONEYLINE.id).staked).toBe(usd(100_000));
  });
});
