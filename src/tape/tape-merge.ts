// Several tapes as one, by time; between equal times the order in which they are named decides. Tapes that show the book in
// different ways cannot be one, nor those of recorders that ran at once where one of them lost its connection.
import { isDeepStrictEqual } from 'node:util';
import { isoTime, OddsmakerError, elementAt } from '../domain/index.ts';
import type { Json } from '../wire/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { TapeRecord } from './journal-tape.ts';
import { headerText, TapeDraft } from './tape-draft.ts';
import { namespacesOf } from './tape-namespaces.ts';
import { readTapeInBatches } from './tape-reader.ts';

export type MergeOptions = {
  /** Told of a tail torn off. */
  readonly torn: (problem: string) => void;
  readonly progress?: (tape: number, bytes: number) => void;
};
export type Merged = {
  readonly lines: number;
  /** Of them such as stood in another of the tapes already. */
  readonly doubled: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
};

/** @throws OddsmakerError TAPE_INVALID, OUT_UNWRITABLE */
export async function mergeTapes(tapes: readonly string[], out: string, options: MergeOptions): Promise<Merged> {
  const sources = tapes.map((file, index) => new Source(file, index, options));
  let draft: TapeDraft | undefined;
  let lines = 0;
  let doubled = 0;
  /** Lines of the time that is written, each with the tape that had it first. */
  const now = new Map<string, Source>();
  let from: number | undefined;
  let to: number | undefined;
  try {
    for (const source of sources) await source.advance();
    const header = oneHeader(sources);
    for (;;) {
      const next = earliest(sources);
      if (next?.head === undefined) break;
      const { head } = next;
      if (await isLastFarewell(next, sources)) continue;
      if (draft === undefined) {
        draft = new TapeDraft(out);
        await draft.write(headerText({ ...header, from: head.ts }));
      }
      lines += 1;
      from ??= head.ts;
      if (head.ts !== to) now.clear();
      const text = JSON.stringify(head);
      const first = now.get(text);
      if (first === undefined) now.set(text, next);
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
  /** The line that is due; undefined: it has ended. */
  head: TapeRecord | undefined;
  /** It told something, and nothing is missing behind that. */
  isConnected = false;
  readonly #batches: AsyncGenerator<readonly (TapeRecord & { readonly line: number })[], void, void>;
  #batch: readonly (TapeRecord & { readonly line: number })[] = [];
  #at = 0;

  constructor(file: string, index: number, { torn, progress }: MergeOptions) {
    this.file = file;
    this.#batches = readTapeInBatches(file, {
      torn,
      progress: (bytes) => progress?.(index, bytes),
      onHeader: (told) => {
        this.header = told;
      },
    });
  }

  get namespace(): string {
    return namespacesOf(this.header['profile']).namespace ?? DEFAULT_PROFILE.priceNamespace;
  }

  async advance(): Promise<void> {
    while (this.#at >= this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done === true) {
        this.head = undefined;
        return;
      }
      this.#batch = next.value;
      this.#at = 0;
    }
    const { line: _line, ...record } = elementAt(this.#batch, this.#at);
    this.head = record;
    this.#at += 1;
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
 * In one tape a lost connection is everybody's. True: whoever recorded just ended here, while another one goes on.
 * @throws OddsmakerError TAPE_INVALID where it goes on as well
 */
async function isLastFarewell(source: Source, sources: readonly Source[]): Promise<boolean> {
  const { head, namespace } = source;
  if (head === undefined || head.ns !== namespace) return false;
  const isLost = head.event === 'disconnect';
  const isAgain = head.event === 'connect' && source.isConnected;
  const other = sources.find((one) => one !== source && one.isConnected && one.head !== undefined);
  source.isConnected = !isLost;
  if (!(isLost || isAgain) || other === undefined) return false;
  await source.advance();
  if (isLost && source.head === undefined) return true;
  throw new OddsmakerError(
    'TAPE_INVALID',
    `${source.file}:1: it loses its connection at ${isoTime(head.ts)} while ${other.file} goes on, and one tape could not say so: give both to backtest --tape, which keeps them apart`,
  );
}

/** What all of them say of how they show the book. @throws OddsmakerError TAPE_INVALID */
function oneHeader(sources: readonly Source[]) {
  const of = ({ header }: Source) => ({
    perspective: header['perspective'] ?? 'offerer',
    profile: profileOf(header),
  });
  const [first] = sources;
  const one = first === undefined ? undefined : of(first);
  for (const source of sources) {
    const two = of(source);
    for (const what of ['perspective', 'profile'] as const)
      if (!isDeepStrictEqual(one?.[what], two[what]))
        throw new OddsmakerError(
          'TAPE_INVALID',
          `${source.file}:1: its ${what} is another one than that of ${first?.file ?? ''}: as one tape, one of them would be read wrong`,
        );
  }
  const depths = sources.flatMap(({ header: { depth } }) => (typeof depth === 'number' ? [depth] : []));
  return {
    // a row beyond the shortest ladders is no offer that vanished
    depth: depths.length === 0 ? null : Math.min(...depths),
    perspective: one?.perspective,
    ...(first?.header['profile'] === undefined ? {} : { profile: first.header['profile'] }),
  };
}

/** Of a profile what says how lines are to be read. */
const profileOf = ({ profile }: Json): unknown => ({
  namespace: DEFAULT_PROFILE.priceNamespace,
  userNamespace: DEFAULT_PROFILE.userNamespace,
  ...namespacesOf(profile),
});
