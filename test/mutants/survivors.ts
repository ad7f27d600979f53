// Mutants that no test can distinguish from the original code, each with the reason. An entry matches a line
// by its code, so that it still matches when the line moves, and no longer when the line changes.
export type Survivor = {
  readonly file: string;
  readonly code: string;
  readonly says: string;
  readonly why: string;
};

export const SURVIVORS: readonly Survivor[] = [
  {
    file: 'src/account/order.ts',
    code: 'endedAt: 0,',
    says: '0 → 1',
    why: 'it is read for ended orders only, and an end sets it',
  },
  {
    file: 'src/account/own-fills.ts',
    code: 'isOfRun: false,',
    says: 'false → true',
    why: 'it is read only for fills that are counted for a strategy, and counting sets it',
  },
  {
    file: 'src/account/reconciliation.ts',
    code: 'this.#gradesCheckedAt = this.#now;',
    says: 'without this.#gradesCheckedAt = this.#now;',
    why: 'it saves work: without it each housekeeping searches the games, and requests grades up to a second earlier',
  },
  {
    file: 'src/orders/sender.ts',
    code: 'const bySize = [...Map.groupBy(tried.keys(), (id) => tried.get(id) ?? 1)].sort(([a], [b]) => b - a);',
    says: '1 → 2',
    why: 'each id is a key of that map, so the default is never used',
  },
  {
    file: 'src/run/fill-book.ts',
    code: 'return;',
    says: 'without return;',
    why: 'the next case finds nothing for this event; after Settled, where it would, a test fails',
  },
  {
    file: 'src/run/run-fold.ts',
    code: 'otherRequests: 0,',
    says: '0 → 1',
    why: 'RequestTally counts these requests, and nothing reads them from a fold',
  },
  {
    file: 'src/run/order-names.ts',
    code: "if (command.type !== 'place' && command.type !== 'edit' && command.type !== 'cancel') return;",
    says: 'without return;',
    why: 'no other command names a permit, so no grant is found for it and nothing happens',
  },
];
