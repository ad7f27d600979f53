// The layout of a compact tape: blocks of columns of numbers and tables of text, ladders as what changed of them. The first
// block names the tape by hash, the last one says that all of it is there, and a checksum that nothing of it was damaged.
import type { SideFrame, SignalUpdate } from '../domain/index.ts';
import type { Exhausted, MarketEvent, OwnEvent } from './tape-decoder.ts';

/** Another layout, or another meaning of what is in it, has another number. */
export const VERSION = 8;
export const KINDS = ['side', 'game', 'up', 'down', 'own', 'signal'] as const;
/** A run of offers that stay: where it began in the ladder before, and how many. */
export const RUN_BITS = 14;
export const LONGEST_RUN = 2 ** RUN_BITS - 1;

export type CompactHead = { readonly compact: number; readonly sha256: string };
/** What was left out of the tape. */
export type LeftOut = {
  /** Lines that could not be read. */
  readonly skipped: number;
  /** The last one of them is a tail torn off. */
  readonly torn: boolean;
  readonly problems: readonly string[];
};
export type CompactEnd = LeftOut & { readonly events: number };

export type Meta = {
  readonly head?: CompactHead;
  readonly end?: CompactEnd;
  readonly counts?: readonly number[];
  readonly texts?: readonly string[];
  readonly frames?: readonly Omit<SideFrame, 'offers'>[];
  readonly games?: readonly Extract<MarketEvent, { what: 'game' }>['game'][];
  /** By place in the block. */
  readonly exhausted?: readonly (readonly [number, readonly Exhausted[]])[];
  readonly since?: readonly (readonly [number, number])[];
  readonly own?: readonly Pick<OwnEvent, 'orderId' | 'taken'>[];
  readonly signals?: readonly SignalUpdate[];
  readonly depth?: number | null;
  /** Sides named by a participant name the one across. */
  readonly facing?: boolean;
};

/** Numbers of one block; in the file one after the other, in this order. */
export type Columns = {
  readonly ts: Float64Array;
  /** Stake and rest of new offers, micro-dollars. */
  readonly risk: Float64Array;
  readonly untaken: Float64Array;
  /** What changed in ladders: ≥ 0 a run of the ladder before, < 0 a new offer. */
  readonly ops: Int32Array;
  /** New offers: id, time of placement, expiry (-1: none) as texts, and rung. */
  readonly id: Int32Array;
  readonly createdAt: Int32Array;
  readonly expiry: Int32Array;
  readonly rung: Int32Array;
  /** Of a side event its side and how many ops, of a game event, an own take or a signal which. */
  readonly of: Int32Array;
  readonly opCount: Int32Array;
  readonly own: Uint8Array;
  readonly kind: Uint8Array;
};
export const COLUMNS = [
  ['ts', Float64Array],
  ['risk', Float64Array],
  ['untaken', Float64Array],
  ['ops', Int32Array],
  ['id', Int32Array],
  ['createdAt', Int32Array],
  ['expiry', Int32Array],
  ['rung', Int32Array],
  ['of', Int32Array],
  ['opCount', Int32Array],
  ['own', Uint8Array],
  ['kind', Uint8Array],
] as const;

/** At the end of the file: how long the last block is, and the CRC-32 of all blocks. */
export const TRAILER = 8;
export const padding = (length: number): number => (8 - (length % 8)) % 8;
