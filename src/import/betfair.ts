// Imports Betfair's stream files as tapes, an event at a time: all files of an event are read together, by
// time, into one tape. Whatever the size of the archives, memory holds only the open files of one event and
// its books.
import { rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { GameResult, GameId } from '../domain/index.ts';
import { dropAtExit } from '../files/index.ts';
import { headerText, TapeDraft } from '../tape/index.ts';
import type { GamesOptions, ImportedGame } from './event-games.ts';
import { EventGames, NAMESPACE } from './event-games.ts';
import { kindOf } from './market-kind.ts';
import type { Teams } from './market-kind.ts';
import type { BadFile, RawFile } from './raw-files.ts';
import { rawFilesOf } from './raw-files.ts';
import { StreamFile } from './stream-file.ts';
import type { MarketChange, MarketDefinition } from './stream-line.ts';
import type { Winners } from './winners.ts';
import { resultOf } from './winners.ts';

export type ImportOptions = GamesOptions & {
  /** The folder for the tapes. */
  readonly out: string;
  /** Receives each bad file as soon as it is known. */
  readonly bad: (file: BadFile) => void;
  /** Receives each tape when it is complete. */
  readonly made?: (tape: ImportedTape) => void;
  readonly progress?: (progress: ImportProgress) => void;
};

/** Progress of an import. `read` and `all` are bytes on the disk. */
export type ImportProgress = {
  readonly read: number;
  readonly all: number;
  readonly files: number;
  readonly messages: number;
};

export type ImportedTape = {
  readonly file: string;
  readonly bytes: number;
  readonly games: readonly ImportedGame[];
};
export type LeftOutMarket = { readonly id: string; readonly market: string; readonly reason: string };
export type Imported = {
  readonly files: number;
  readonly tapes: readonly ImportedTape[];
  readonly leftOut: readonly LeftOutMarket[];
  readonly bad: readonly BadFile[];
  /** Results of the games whose settled markets determine one. */
  readonly results: ReadonlyMap<GameId, GameResult>;
};

const NO_BOOK =
  'BASIC data: it has prices of last trades and no offers, so no book can be built from it; get ADVANCED or PRO data instead';

/** Imports the named files, folders and archives. @throws OddsmakerError OUT_UNWRITABLE */
export async function importBetfair(names: readonly string[], options: ImportOptions): Promise<Imported> {
  const unpacked = join(options.out, `.unpacked-${process.pid}`);
  const all: BadFile[] = [];
  const bad = (file: BadFile): void => {
    all.push(file);
    options.bad(file);
  };
  const remove = (): void => rmSync(unpacked, { recursive: true, force: true });
  const cancelExitDrop = dropAtExit(remove);
  try {
    const files = await rawFilesOf(names, unpacked, bad);
    const importer = new Importer(files, { ...options, bad });
    for (const group of groupsOf(files)) await importer.importGroup(group);
    return { files: files.length, bad: all, ...importer.outcome };
  } finally {
    cancelExitDrop();
    remove();
  }
}

/** The files of one event. `name`: the name of the tape when the event gives none. */
type Group = { readonly name: string; readonly files: RawFile[] };

/**
 * Matches Betfair's paths: `…/29635049/1.166811431.bz2`, or `…/29635049/29635049.bz2` with all markets of the
 * event.
 */
const EVENT_PATH = /(?:^|\/)(\d{6,})\/(?:1\.\d+|\d{6,})(?:\.[a-z0-9]+)?$/;

/** Groups files by event. A file outside an event's folder is a group by itself. */
function groupsOf(files: readonly RawFile[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const file of files) {
    const path = file.name.replaceAll('\\', '/');
    const [, event] = EVENT_PATH.exec(path) ?? [];
    const key = event === undefined ? path : `${dirname(path)}/`;
    const known = groups.get(key);
    if (known !== undefined) known.files.push(file);
    else
      groups.set(key, {
        name: event ?? basename(path).replace(/\.(bz2|gz|zst|json|ndjson)$/, ''),
        files: [file],
      });
  }
  return [...groups.values()];
}

class Importer {
  readonly #options: ImportOptions;
  readonly #all: number;
  readonly #tapes: ImportedTape[] = [];
  readonly #leftOut = new Map<string, LeftOutMarket>();
  readonly #results = new Map<GameId, GameResult>();
  readonly #winners = new Map<GameId, readonly Winners[]>();
  readonly #names = new Set<string>();
  /** The file that owns a market: the first one that has it. */
  readonly #owners = new Map<string, RawFile>();
  #read = 0;
  #files = 0;
  #messages = 0;

  constructor(files: readonly RawFile[], options: ImportOptions) {
    this.#options = options;
    this.#all = files.reduce((sum, { length }) => sum + length, 0);
  }

  get outcome() {
    return { tapes: this.#tapes, leftOut: [...this.#leftOut.values()], results: this.#results };
  }

  async importGroup({ name, files }: Group): Promise<void> {
    const streams = files.map((raw) => this.#open(raw));
    const games = await this.#gamesOf(streams);
    let draft: TapeDraft | undefined;
    try {
      for (;;) {
        const t = streams.reduce((first, { head }) => Math.min(first, head?.t ?? first), Number.POSITIVE_INFINITY);
        if (t === Number.POSITIVE_INFINITY) break;
        const changes: MarketChange[] = [];
        for (const stream of streams) {
          while (stream.head?.t === t) {
            this.#messages += 1;
            for (const change of stream.head.markets)
              if (this.#isOwner(stream.raw, change, files)) changes.push(change);
            await stream.advance();
          }
        }
        for (const { ts, text } of games.applyChanges(t, changes)) {
          if (draft === undefined) {
            draft = new TapeDraft(join(this.#options.out, this.#nameOf(name, games.importedGames)));
            await draft.write(headerText({ from: ts, ...HEADER, depth: this.#options.depth }));
          }
          const wait = draft.write(text);
          if (wait !== undefined) await wait;
        }
        this.#reportProgress();
      }
      for (const stream of streams) this.#reportProblem(stream);
      this.#disown(streams);
      const isKept = await this.#keep(draft, games);
      if (!isKept && draft !== undefined) this.#names.delete(basename(draft.file));
    } finally {
      for (const stream of streams) await stream.close();
      await draft?.drop();
    }
  }

  /** Whether a file owns a market. The file of an event repeats the markets that have files of their own. */
  #isOwner(raw: RawFile, { id, definition }: MarketChange, group: readonly RawFile[]): boolean {
    const owner = this.#owners.get(id);
    if (owner === undefined) this.#owners.set(id, raw);
    else if (owner !== raw && definition !== undefined && !group.includes(owner))
      this.#leaveOut(id, definition, `it was read already, from ${owner.name}`);
    return owner === undefined || owner === raw;
  }

  /** Releases the markets of files without offers, since another file may have them. */
  #disown(streams: readonly StreamFile[]): void {
    const empty = new Set(streams.filter(({ hasLadder }) => !hasLadder).map(({ raw }) => raw));
    if (empty.size === 0) return;
    for (const [id, owner] of this.#owners) if (empty.has(owner)) this.#owners.delete(id);
  }

  #open(raw: RawFile): StreamFile {
    let read = 0;
    this.#files += 1;
    return new StreamFile(raw, (bytes) => {
      this.#read += bytes - read;
      read = bytes;
      this.#reportProgress();
    });
  }

  /** Reads the first message of each file for teams. Closes files of a single market that is left out. */
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

  /**
   * The file name of a tape: day, teams and id of its only game, or the group's name when it has several
   * games.
   */
  #nameOf(name: string, games: readonly ImportedGame[]): string {
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
    let file = `${stem}.ndjson.zst`;
    for (let number = 2; this.#names.has(file); number++) file = `${stem}-${number}.ndjson.zst`;
    this.#names.add(file);
    return file;
  }

  #reportProblem({ raw, problem, hasDefinition, hasLast, hasLadder }: StreamFile): void {
    const { bad } = this.#options;
    const { name } = raw;
    if (problem !== undefined) bad({ name, problem: hasLadder ? `${problem}; read up to there` : problem });
    else if (!hasDefinition) bad({ name, problem: 'no market is defined in it' });
    else if (hasLast && !hasLadder) bad({ name, problem: NO_BOOK });
  }

  /** Completes a tape. Returns false when it has no offers. */
  async #keep(draft: TapeDraft | undefined, games: EventGames): Promise<boolean> {
    for (const [id, { market, reason }] of games.leftOut) this.#leftOut.set(id, { id, market, reason });
    for (const id of games.neverDefined)
      this.#leftOut.set(id, { id, market: id, reason: 'its market definition never came' });
    const imported = games.importedGames.filter(({ frames }) => frames > 0);
    for (const { gameId, winners } of imported) {
      // markets of one game may be in several archives
      const all = [...(this.#winners.get(gameId) ?? []), ...winners];
      this.#winners.set(gameId, all);
      const result = resultOf(all);
      if (result !== undefined) this.#results.set(gameId, result);
    }
    if (draft === undefined || imported.length === 0) return false;
    await draft.keep();
    const tape = { file: draft.file, bytes: statSync(draft.file).size, games: imported };
    this.#tapes.push(tape);
    this.#options.made?.(tape);
    return true;
  }

  #reportProgress(): void {
    this.#options.progress?.({
      read: this.#read,
      all: this.#all,
      files: this.#files,
      messages: this.#messages,
    });
  }
}

const HEADER = { perspective: 'offerer', profile: { priceNamespace: NAMESPACE } };
