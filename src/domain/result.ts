// Expected outcomes are values: a parser returns the problem instead of throwing.
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const bad = (problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem,
});
