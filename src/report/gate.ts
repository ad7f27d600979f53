// Whether figures are what a gate demands of them. A figure that is not known compares with nothing: a gate that asks for one is void.

export type Verdict = 'PASS' | 'FAIL' | 'KILL';

export type Demand = {
  readonly path: string;
  readonly operator: '>=' | '<=' | '==' | '!=' | '>' | '<';
  readonly than: number;
};
/** `holds`: null where the figure is not known. */
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

/** What kills, kills at once, whatever else is not known; the rest is judged together. */
export function verdictOf(pass: readonly Judged[], kill: readonly Judged[]): Verdict | 'void' {
  if (kill.some(({ holds }) => holds === true)) return 'KILL';
  if ([...pass, ...kill].some(({ holds }) => holds === null)) return 'void';
  return pass.every(({ holds }) => holds === true) ? 'PASS' : 'FAIL';
}

/**
 * The number at a path such as `identity.pnl`. `null`: it is there, and not known; `undefined`: there is no such figure.
 */
export function figureAt(figures: unknown, path: string): number | null | undefined {
  const at = valueAt(figures, path);
  return typeof at === 'number' || at === null ? at : undefined;
}

/** Whatever stands there; `undefined`: nothing does. */
export function valueAt(figures: unknown, path: string): unknown {
  let at: unknown = figures;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

/** Every path with a number, or with one that is not known. */
export function pathsIn(figures: unknown, before = ''): readonly string[] {
  if (typeof figures !== 'object' || figures === null || Array.isArray(figures)) return [];
  return Object.entries(figures).flatMap(([key, value]) =>
    typeof value === 'number' || value === null ? [before + key] : pathsIn(value, `${before}${key}.`),
  );
}
