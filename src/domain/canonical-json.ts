// JSON with one text for each value: keys are sorted. It refuses what JSON would change or drop in silence.

/** The deepest nesting of arrays and objects. */
const DEEPEST = 100;

/**
 * The canonical JSON of a value. Properties that are undefined are left out.
 * @throws TypeError when a part of it is not JSON; the message names its place
 */
export const canonicalJson = (value: unknown): string => textOf(value, []);

function textOf(value: unknown, path: readonly string[]): string {
  if (path.length > DEEPEST) throw new TypeError(`it is nested more than ${DEEPEST} levels deep, or contains itself`);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${Array.from(value, (element: unknown, index) => textOf(element, [...path, String(index)])).join(',')}]`;
  if (typeof value !== 'object' || !isPlain(value)) throw new TypeError(`${placeOf(path)}${nameOf(value)} is not JSON`);
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]: [string, unknown]) => `${JSON.stringify(key)}:${textOf(child, [...path, key])}`);
  return `{${entries.join(',')}}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const placeOf = (path: readonly string[]): string => (path.length === 0 ? '' : `${path.join('.')}: `);

function nameOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : `a ${typeof value}`;
  const { name } = value.constructor;
  return `a ${name === '' ? 'class' : name}`;
}
