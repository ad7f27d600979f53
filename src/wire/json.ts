// Reading untrusted JSON by hand: small, allocation-free checks for the per-frame path and the replies.
import type { PlayerMode } from '../domain/index.ts';
import { parseTime } from '../domain/index.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): Json | undefined => (isRecord(value) ? value : undefined);
export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** Decimal text, which every parser reads as the same number: neither hexadecimal nor with blanks inside. */
const DECIMAL = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A finite number, also from decimal text; undefined for anything else. */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** The largest line, points: no sport has larger ones, and the arithmetic is not safe beyond. */
const MAX_LINE = 10_000;
const MAX_AMOUNT = 1e9;

/** A spread or total in points. */
export function readLine(value: unknown): number | undefined {
  const line = readNumber(value);
  return line !== undefined && Math.abs(line) <= MAX_LINE ? line + 0 : undefined;
}

/** An amount of money in dollars, never negative. */
export function readAmount(value: unknown): number | undefined {
  const amount = readNumber(value);
  return amount !== undefined && amount >= 0 && amount <= MAX_AMOUNT ? amount : undefined;
}

/** A non-empty text; undefined for anything else. */
export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The reference of an order: text, or a number, which is returned as text. */
export const readReference = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : readText(value);

/** Unix milliseconds of an ISO time. */
export function readTime(value: unknown): number | undefined {
  return typeof value === 'string' ? parseTime(value) : undefined;
}

/** `data` of the usual `{data: …}` reply. */
export const dataOf = (body: unknown): unknown => (isRecord(body) ? body['data'] : undefined);

/** The player mode that a record names (wire profile, `modeOnRecords`); empty when it names none. */
export const readMode = (json: Json | undefined): { readonly mode?: PlayerMode } => {
  const mode = json?.['playerMode'];
  return mode === 'cash' || mode === 'coins' ? { mode } : {};
};
