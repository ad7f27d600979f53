// Mutants that no test can tell from the code as it is, each with the reason. An entry fits a line by its code, so that it
// goes on fitting when the line moves, and no longer when it changes.
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
    why: 'it is read of ended orders alone, and an end sets it',
  },
  {
    file: 'src/account/own-fills.ts',
    code: 'isOfRun: false,',
    says: 'false → true',
    why: 'it is read of fills alone that are counted for a strategy, and counting sets it',
  },
  {
    file: 'src/account/reconciliation.ts',
    code: 'this.#gradesLookedAt = this.#now;',
    says: 'without this.#gradesLookedAt = this.#now;',
    why: 'it saves work: without it the games are searched at every sweep, and grades asked for up to a second earlier',
  },
  {
    file: 'src/orders/sender.ts',
    code: 'const bySize = [...Map.groupBy(tried.keys(), (id) => tried.get(id) ?? 1)].sort(([a], [b]) => b - a);',
    says: '1 → 2',
    why: 'each id is a key of that map, so what is there instead is never taken',
  },
  {
    file: 'src/run/fill-book.ts',
    code: 'return;',
    says: 'without return;',
    why: 'the next case looks up what this event does not name, and finds nothing; behind Settled, where it would, a test fails',
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
    why: 'no other command names a permit, so no grant is found for it, and nothing is done',
  },
];
