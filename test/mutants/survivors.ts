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
    file: 'src/orders/sender.ts',
    code: 'const bySize = [...Map.groupBy(tried.keys(), (id) => tried.get(id) ?? 1)].sort(([a], [b]) => b - a);',
    says: '1 → 2',
    why: 'each id is a key of that map, so what is there instead is never taken',
  },
];
