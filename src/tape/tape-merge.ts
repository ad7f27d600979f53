// Merges several tapes into one, by time; lines of equal time keep the order in which the tapes are named.
// Tapes that show the book in different ways cannot be merged, nor those of concurrent recorders where one
// lost its connection.
import { isDeepStrictEqual } from 'node:util';
import { isoTime, OddsmakerError, elementAt } from '../domain/index.ts';
import type { Json } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { TapeRecord } from './journal-tape.ts';
import { headerText, TapeDraft } from './tape-draft.ts';
import { namespacesOf } from './tape-namespaces.ts';
import { readTapeInBatches } from './tape-reader.ts';

export type MergeOptions = {
  /** Receives the problem of a tail torn off. */
  readonly torn: (problem: string) => void;
  readonly progress?: (tape: number, bytes: number) => void;
};
export type Merged = {
  readonly lines: number;
  /** The number of these lines that another tape had already. */
  readonly doubled: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
};

/** Merges the tapes into a new tape at `out`. @throws OddsmakerError TAPE_INVALID, OUT_UNWRITABLE */
export async function mergeTapes(tapes: readonly string[], out: string, options: MergeOptions): Promise<Merged> {
  const sources = tapes.map((file, index) => new Source(file, index, options));
  let draft: TapeDraft | undefined;
  let lines = 0;
  let doubled = 0;
  /** The lines at the current time, each with the tape that had it first. */
  const linesNow = new Map<string, Source>();
  let from: number | undefined;
  let to: number | undefined;
  try {
    for (const source of sources) await source.advance();
    const header = oneHeader(sources);
    for (;;) {
      const next = earliest(sources);
      if (next?.head === undefined) break;
      const { head } = next;
      if (await isFinalDisconnect(next, sources)) continue;
      if (draft === undefined) {
        draft = new TapeDraft(out);
        await draft.write(headerText({ ...header, from: head.ts }));
      }
      lines += 1;
      from ??= head.ts;
      if (head.ts !== to) linesNow.clear();
      const text = JSON.stringify(head);
      const first = linesNow.get(text);
      if (first === undefined) linesNow.set(text, next);
      else if (first !== next) doubled += 1;
      const wait = draft.write(text);
      to = head.ts;
      if (wait !== undefined) await wait;
      await next.advance();
    }
    await draft?.keep();
    return { lines, doubled, from, to };
  } finally {
    for (const source of sources) await source.close();
    await draft?.drop();
  }
}

class Source {
  readonly file: string;
  header: Json = {};
  /** The next line. Undefined when the tape has ended. */
  head: TapeRecord | undefined;
  /** True after a line of the price feed, until the connection is lost. */
  isConnected = false;
  readonly #batches: AsyncGenerator<readonly (TapeRecord & { readonly line: number })[], void, void>;
  #batch: readonly (TapeRecord & { readonly line: number })[] = [];
  #nextIndex = 0;

  constructor(file: string, index: number, { torn, progress }: MergeOptions) {
    this.file = file;
    this.#batches = readTapeInBatches(file, {
      torn,
      progress: (bytes) => progress?.(index, bytes),
      onHeader: (header) => {
        this.header = header;
      },
    });
  }

  get namespace(): string {
    return namespacesOf(this.header['profile']).namespace ?? DEFAULT_PROFILE.priceNamespace;
  }

  async advance(): Promise<void> {
    while (this.#nextIndex >= this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done === true) {
        this.head = undefined;
        return;
      }
      this.#batch = next.value;
      this.#nextIndex = 0;
    }
    const { line: _line, ...record } = elementAt(this.#batch, this.#nextIndex);
    this.head = record;
    this.#nextIndex += 1;
  }

  async close(): Promise<void> {
    await this.#batches.return();
  }
}

function earliest(sources: readonly Source[]): Source | undefined {
  let first: Source | undefined;
  for (const source of sources)
    if (source.head !== undefined && (first?.head === undefined || source.head.ts < first.head.ts)) first = source;
  return first;
}

/**
 * Checks a connection line: in one tape a lost connection means that all of it is lost. True when this line
 * was skipped because this recorder just ended while another continues.
 * @throws OddsmakerError TAPE_INVALID where this tape continues too
 */
async function isFinalDisconnect(source: Source, sources: readonly Source[]): Promise<boolean> {
  const { head, namespace } = source;
  if (head === undefined || head.ns !== namespace) return false;
  const isLost = head.event === 'disconnect';
  const isAgain = head.event === 'connect' && source.isConnected;
  const other = sources.find(
    (candidate) => candidate !== source && candidate.isConnected && candidate.head !== undefined,
  );
  source.isConnected = !isLost;
  if (!(isLost || isAgain) || other === undefined) return false;
  await source.advance();
  if (isLost && source.head === undefined) return true;
  throw new OddsmakerError(
    'TAPE_INVALID',
    `${source.file}:1: it loses its connection at ${isoTime(head.ts)} while ${other.file} continues, which one tape cannot show: give both to backtest --tape, which keeps them apart`,
  );
}

/**
 * The header that all tapes share, with the smallest depth. @throws OddsmakerError TAPE_INVALID when they
 * differ
 */
function oneHeader(sources: readonly Source[]) {
  const formatOf = ({ header }: Source) => ({
    perspective: header['perspective'] ?? 'offerer',
    profile: profileOf(header),
  });
  const [first] = sources;
  const shared = first === undefined ? undefined : formatOf(first);
  for (const source of sources) {
    const found = formatOf(source);
    for (const part of ['perspective', 'profile'] as const)
      if (!isDeepStrictEqual(shared?.[part], found[part]))
        throw new OddsmakerError(
          'TAPE_INVALID',
          `${source.file}:1: its ${part} differs from that of ${first?.file ?? ''}: in one tape, one of the two would be read wrongly`,
        );
  }
  const depths = sources.flatMap(({ header: { depth } }) => (typeof depth === 'number' ? [depth] : []));
  return {
    // a row beyond the shortest depth must not count as an offer that vanished
    depth: depths.length === 0 ? null : Math.min(...depths),
    perspective: shared?.perspective,
    ...(first?.header['profile'] === undefined ? {} : { profile: first.header['profile'] }),
  };
}

/** The parts of a profile that decide how lines are read. */
const profileOf = ({ profile }: Json): unknown => ({
  namespace: DEFAULT_PROFILE.priceNamespace,
  userNamespace: DEFAULT_PROFILE.userNamespace,
  ...namespacesOf(profile),
});
