// Checks figures against the demands of a gate. An unknown figure cannot be compared: a gate that needs one
// is void.

export type Verdict = 'PASS' | 'FAIL' | 'KILL';

export type Demand = {
  readonly path: string;
  readonly operator: '>=' | '<=' | '==' | '!=' | '>' | '<';
  readonly than: number;
};
/** A demand and its outcome. `holds`: null when the figure is not known. */
export type Judged = Demand & { readonly value: number | null; readonly holds: boolean | null };

const HOLDS: Readonly<Record<Demand['operator'], (a: number, b: number) => boolean>> = {
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

export function judged({ path, operator, than }: Demand, value: number | null): Judged {
  return { path, operator, than, value, holds: value === null ? null : HOLDS[operator](value, than) };
}

/** The verdict. One kill condition that holds is enough, even if other figures are unknown. */
export function verdictOf(pass: readonly Judged[], kill: readonly Judged[]): Verdict | 'void' {
  if (kill.some(({ holds }) => holds === true)) return 'KILL';
  if ([...pass, ...kill].some(({ holds }) => holds === null)) return 'void';
  return pass.every(({ holds }) => holds === true) ? 'PASS' : 'FAIL';
}

/**
 * The number at a path such as `identity.pnl`. `null`: the figure exists but is not known. `undefined`: there
 * is no such figure.
 */
export function figureAt(figures: unknown, path: string): number | null | undefined {
  const value = valueAt(figures, path);
  return typeof value === 'number' || value === null ? value : undefined;
}

/** The value at a path, of any type. `undefined`: there is none. */
export function valueAt(figures: unknown, path: string): unknown {
  let value: unknown = figures;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** All paths with a number, known or not. */
export function pathsIn(figures: unknown, before = ''): readonly string[] {
  if (typeof figures !== 'object' || figures === null || Array.isArray(figures)) return [];
  return Object.entries(figures).flatMap(([key, value]) =>
    typeof value === 'number' || value === null ? [before + key] : pathsIn(value, `${before}${key}.`),
  );
}
