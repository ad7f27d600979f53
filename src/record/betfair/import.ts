// Betfair's stream files to tapes, an event at a time: all files of an event are read together, by time, into one tape. However
// large the archives, the memory holds the open files of one event and its books.
import { rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FinalScore, GameId } from '../../domain/index.ts';
import { headerText, TapeDraft } from '../tape-draft.ts';
import type { GamesOptions, GameTold } from './event-games.ts';
import { EventGames } from './event-games.ts';
import { kindOf } from './market-kind.ts';
import type { Teams } from './market-kind.ts';
import type { BadFile, RawFile } from './raw-files.ts';
import { rawFilesOf } from './raw-files.ts';
import { StreamFile } from './stream-file.ts';
import type { MarketChange, MarketDefinition } from './stream-line.ts';
import { scoreOf } from './winners.ts';

export type ImportOptions = GamesOptions & {
  /** A folder. */
  readonly out: string;
  /** Told of a file as soon as it is known to be bad. */
  readonly bad: (file: BadFile) => void;
  /** Told of a tape when it is there. */
  readonly made?: (tape: ImportedTape) => void;
  readonly progress?: (progress: ImportProgress) => void;
};

/** Bytes as they lie on the disk. */
export type ImportProgress = {
  readonly read: number;
  readonly all: number;
  readonly files: number;
  readonly messages: number;
};

export type ImportedTape = { readonly file: string; readonly bytes: number; readonly games: readonly GameTold[] };
export type LeftOutMarket = { readonly id: string; readonly market: string; readonly reason: string };
export type Imported = {
  readonly files: number;
  readonly tapes: readonly ImportedTape[];
  readonly leftOut: readonly LeftOutMarket[];
  readonly bad: readonly BadFile[];
  /** Where how markets ended leaves one score. */
  readonly scores: ReadonlyMap<GameId, FinalScore>;
};

const NO_BOOK =
  'BASIC data: it has the price of the last trade and no offers, and no book can be made of that; get ADVANCED or PRO of it';

/** @throws OddsmakerError OUT_UNWRITABLE */
export async function importBetfair(names: readonly string[], options: ImportOptions): Promise<Imported> {
  const unpacked = join(options.out, `.unpacked-${process.pid}`);
  const all: BadFile[] = [];
  const bad = (file: BadFile): void => {
    all.push(file);
    options.bad(file);
  };
  try {
    const files = await rawFilesOf(names, unpacked, bad);
    const importer = new Importer(files, { ...options, bad });
    for (const group of groupsOf(files)) await importer.importGroup(group);
    return { files: files.length, bad: all, ...importer.told };
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** Files of one event; `name`: of the tape, where no event gives one. */
type Group = { readonly name: string; readonly files: RawFile[] };

/** `…/29635049/1.166811431.bz2`, or `…/29635049/29635049.bz2` with all markets of it: as Betfair packs them. */
const OF_EVENT = /(?:^|\/)(\d{6,})\/(?:1\.\d+|\d{6,})(?:\.[a-z0-9]+)?$/;

/** A file that no folder says the event of is a group by itself. */
function groupsOf(files: readonly RawFile[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const file of files) {
    const path = file.name.replaceAll('\\', '/');
    const [, event] = OF_EVENT.exec(path) ?? [];
    const key = event === undefined ? path : `${dirname(path)}/`;
    const known = groups.get(key);
    if (known !== undefined) known.files.push(file);
    else groups.set(key, { name: event ?? basename(path).replace(/\.(bz2|gz|zst|json|ndjson)$/, ''), files: [file] });
  }
  return [...groups.values()];
}

class Importer {
  readonly #options: ImportOptions;
  readonly #all: number;
  readonly #tapes: ImportedTape[] = [];
  readonly #leftOut = new Map<string, LeftOutMarket>();
  readonly #scores = new Map<GameId, FinalScore>();
  readonly #names = new Set<string>();
  #read = 0;
  #files = 0;
  #messages = 0;

  constructor(files: readonly RawFile[], options: ImportOptions) {
    this.#options = options;
    this.#all = files.reduce((sum, { length }) => sum + length, 0);
  }

  get told() {
    return { tapes: this.#tapes, leftOut: [...this.#leftOut.values()], scores: this.#scores };
  }

  async importGroup({ name, files }: Group): Promise<void> {
    const streams = files.map((raw) => this.#open(raw));
    const games = await this.#gamesOf(streams);
    let draft: TapeDraft | undefined;
    try {
      const owners = new Map<string, StreamFile>();
      for (;;) {
        const t = streams.reduce((first, { head }) => Math.min(first, head?.t ?? first), Number.POSITIVE_INFINITY);
        if (t === Number.POSITIVE_INFINITY) break;
        const changes: MarketChange[] = [];
        for (const stream of streams) {
          for (; stream.head?.t === t; await stream.advance()) {
            this.#messages += 1;
            for (const change of stream.head.markets) {
              // the file of an event has the markets that have files of their own
              const owner = owners.get(change.id);
              if (owner === undefined) owners.set(change.id, stream);
              if (owner === undefined || owner === stream) changes.push(change);
            }
          }
        }
        for (const { ts, event, data } of games.apply(t, changes)) {
          if (draft === undefined) {
            draft = new TapeDraft(join(this.#options.out, this.#nameOf(name, games.told)));
            await draft.write(headerText({ from: ts, ...HEADER, depth: this.#options.depth }));
          }
          const wait = draft.write(JSON.stringify({ ts, ns: NAMESPACE, event, data }));
          if (wait !== undefined) await wait;
        }
        this.#tellProgress();
      }
      for (const stream of streams) this.#tellProblem(stream);
      await this.#keep(draft, games);
    } finally {
      for (const stream of streams) await stream.close();
      await draft?.drop();
    }
  }

  #open(raw: RawFile): StreamFile {
    let read = 0;
    this.#files += 1;
    return new StreamFile(raw, (bytes) => {
      this.#read += bytes - read;
      read = bytes;
      this.#tellProgress();
    });
  }

  /** Looks at the first message of each; files of a single market that is left out are not read on. */
  async #gamesOf(streams: StreamFile[]): Promise<EventGames> {
    const teams = new Map<string, Teams>();
    const closed = new Set<StreamFile>();
    for (const stream of streams) {
      await stream.advance();
      const definitions = (stream.head?.markets ?? []).flatMap(({ id, definition }) =>
        definition === undefined ? [] : [{ id, definition }],
      );
      for (const { definition } of definitions) {
        const kind = kindOf(definition);
        if (!('leftOut' in kind) && kind.teams !== undefined && !teams.has(definition.eventId))
          teams.set(definition.eventId, kind.teams);
      }
      const [only] = definitions;
      if (streams.length < 2 || definitions.length !== 1 || only === undefined) continue;
      const kind = kindOf(only.definition);
      if (!('leftOut' in kind) || only.definition.marketType === 'CORRECT_SCORE') continue;
      this.#leaveOut(only.id, only.definition, kind.leftOut);
      await stream.close();
      closed.add(stream);
    }
    if (closed.size > 0) streams.splice(0, streams.length, ...streams.filter((stream) => !closed.has(stream)));
    return new EventGames(this.#options, teams);
  }

  #leaveOut(id: string, definition: MarketDefinition, reason: string): void {
    const { eventName, eventId, marketName, marketType } = definition;
    const market = `${eventName ?? eventId}, ${marketName ?? marketType}`;
    if (!this.#leftOut.has(id)) this.#leftOut.set(id, { id, market, reason });
  }

  /** One game gives its day, its teams and its id; a file of many games its own name. */
  #nameOf(name: string, games: readonly GameTold[]): string {
    const [only] = games;
    const slug = (text: string): string =>
      text
        .toLowerCase()
        .normalize('NFD')
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, 60);
    const stem =
      games.length === 1 && only !== undefined
        ? `${new Date(only.start).toISOString().slice(0, 10)}-${slug(only.eventName)}-${only.gameId.slice(3)}`
        : slug(name);
    let file = stem;
    for (let number = 2; this.#names.has(file); number++) file = `${stem}-${number}`;
    this.#names.add(file);
    return `${file}.ndjson.zst`;
  }

  #tellProblem({ raw, problem, hasDefinition, hasLast, hasLadder }: StreamFile): void {
    const { bad } = this.#options;
    const { name } = raw;
    if (problem !== undefined) bad({ name, problem: hasLadder ? `${problem}; read up to there` : problem });
    else if (!hasDefinition) bad({ name, problem: 'no market is defined in it' });
    else if (hasLast && !hasLadder) bad({ name, problem: NO_BOOK });
  }

  async #keep(draft: TapeDraft | undefined, games: EventGames): Promise<void> {
    for (const [id, { market, reason }] of games.leftOut) this.#leftOut.set(id, { id, market, reason });
    const told = games.told.filter(({ frames }) => frames > 0);
    for (const { gameId, winners } of told) {
      const score = scoreOf(winners);
      if (score !== undefined) this.#scores.set(gameId, score);
    }
    if (draft === undefined || told.length === 0) return;
    await draft.keep();
    const tape = { file: draft.file, bytes: statSync(draft.file).size, games: told };
    this.#tapes.push(tape);
    this.#options.made?.(tape);
  }

  #tellProgress(): void {
    this.#options.progress?.({
      read: this.#read,
      all: this.#all,
      files: this.#files,
      messages: this.#messages,
    });
  }
}

const NAMESPACE = '/priceUpdates';
const HEADER = { perspective: 'offerer', profile: { priceNamespace: NAMESPACE } };
