// The layout of a compact tape: blocks with columns of numbers and tables of text; ladders are stored as
// changes. The first block names the tape by its hash, the last block proves that the file is complete, and a
// checksum that it is undamaged.
import type { SideFrame, SignalUpdate } from '../domain/index.ts';
import type { Exhausted, MarketEvent, OwnEvent } from './tape-decoder.ts';
import type { TapeSpan } from './tape-span.ts';

/** Increases with each change of the layout or of its meaning. */
export const VERSION = 9;
export const KINDS = ['side', 'game', 'up', 'down', 'own', 'signal'] as const;
/**
 * A run of unchanged offers packs its start in the ladder before and its length; the length has these low
 * bits.
 */
export const RUN_BITS = 14;
export const LONGEST_RUN = 2 ** RUN_BITS - 1;

export type CompactHead = { readonly compact: number; readonly sha256: string };
/** Lines of the tape that were left out. */
export type LeftOut = {
  /** The number of lines that could not be read. */
  readonly skipped: number;
  /** True when the last of them is a tail torn off. */
  readonly torn: boolean;
  readonly problems: readonly string[];
};
export type CompactEnd = LeftOut & { readonly events: number; readonly span: TapeSpan };

export type Meta = {
  readonly head?: CompactHead;
  readonly end?: CompactEnd;
  readonly counts?: readonly number[];
  readonly texts?: readonly string[];
  readonly frames?: readonly Omit<SideFrame, 'offers'>[];
  readonly games?: readonly Extract<MarketEvent, { what: 'game' }>['game'][];
  /** Keyed by the event's index in the block, as `since` is. */
  readonly exhausted?: readonly (readonly [number, readonly Exhausted[]])[];
  readonly since?: readonly (readonly [number, number])[];
  readonly own?: readonly Pick<OwnEvent, 'orderId' | 'taken'>[];
  readonly signals?: readonly SignalUpdate[];
  readonly depth?: number | null;
  /** A participant in a frame means the opposite side. */
  readonly facing?: boolean;
};

/** The numbers of one block. In the file the columns follow each other in the order of `COLUMNS`. */
export type Columns = {
  readonly ts: Float64Array;
  /** Stake and untaken stake of new offers, micro-dollars. */
  readonly risk: Float64Array;
  readonly untaken: Float64Array;
  /** Changes of ladders: ≥ 0 is a run of the ladder before, < 0 is a new offer. */
  readonly ops: Int32Array;
  /** New offers: the text indices of id, creation time and expiry (−1: none), and the rung. */
  readonly id: Int32Array;
  readonly createdAt: Int32Array;
  readonly expiry: Int32Array;
  readonly rung: Int32Array;
  /**
   * The index of a side event's side, or of a game event, own take or signal in its list. `opCount`: ops of a
   * side event.
   */
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

/** Bytes at the end of the file: the length of the last block, and the CRC-32 of all blocks. */
export const TRAILER = 8;
export const padding = (length: number): number => (8 - (length % 8)) % 8;
