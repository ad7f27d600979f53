// Decides which games are kept, and finds the parts of games: league books and the feed list some, the book
// of a game all. Invariants: without a selection of parts no read is made for them; a part that does not name
// its period is looked up once in the book of its game, and never guessed.
import type { Game, GameMessage } from '../domain/index.ts';
import { isPropLeague, partOf } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { BookReads } from './book-reads.ts';
import type { CommandBuffer, PendingRead } from './command-buffer.ts';
import type { Known } from './selection.ts';
import { isSelectedGame, isSelectedPart, wantsParts } from './selection.ts';
import type { MarketSelection } from './settings.ts';

export class GameParts {
  readonly #buffer: Pick<CommandBuffer, 'alertOnce'>;
  readonly #mirror: Pick<Mirror, 'games'>;
  readonly #reads: Pick<BookReads, 'askParts' | 'awaitsParts'>;
  readonly #selection: MarketSelection;
  readonly #known: Known;

  constructor(
    buffer: Pick<CommandBuffer, 'alertOnce'>,
    mirror: Pick<Mirror, 'games'>,
    reads: Pick<BookReads, 'askParts' | 'awaitsParts'>,
    selected: { readonly selection: MarketSelection; readonly known: Known },
  ) {
    this.#buffer = buffer;
    this.#mirror = mirror;
    this.#reads = reads;
    this.#selection = selected.selection;
    this.#known = selected.known;
  }

  /** True when child games or props are selected. */
  get areWanted(): boolean {
    return wantsParts(this.#selection.parts);
  }

  /** True when a pending book of a parent game may list an unknown game of this league. */
  mayListPartsOf(league: string): boolean {
    return this.#reads.awaitsParts && (this.#known.leagues.has(league) || isPropLeague(league));
  }

  /**
   * True when a game not known yet is kept. The book of a game lists all its parts; parts not selected are
   * skipped.
   */
  isKept(message: GameMessage, read: PendingRead | undefined): boolean {
    const { gameId: id, parentGameId, league = '', futures = false } = message;
    if (!isSelectedGame({ id, league, parentGameId }, this.#selection, this.#known)) return false;
    const isListed = read?.read.what === 'game' && read.read.gameId !== id;
    const isByItself = isSelectedGame({ id, league }, this.#selection, this.#known);
    if (isByItself && !isListed) return true;
    return isSelectedPart({ ...partOf(message, undefined), futures }, this.#selection);
  }

  /**
   * Requests the book of a game, which lists its parts and names the period of a part that does not name it
   * itself.
   */
  ask({ id, kind, period, parentGameId, ended }: Game): void {
    if (ended || !this.areWanted) return;
    if (kind === 'game') this.#reads.askParts(id);
    if (kind === 'child' && period === undefined && parentGameId !== undefined) this.#reads.askParts(parentGameId, id);
  }

  /**
   * Applies a part listed by the book of its game. If its period is still not known, it is not quoted, with
   * an alert.
   */
  applyListed(message: GameMessage): void {
    const { gameId, parentGameId, periodName, eventName } = message;
    const { kind, period } = partOf(message, this.#mirror.games.get(gameId)?.game);
    const isWanted = this.#selection.parts?.periods.some((wanted) => wanted !== 'full') === true;
    if (kind !== 'child' || period !== undefined || !isWanted) return;
    this.#buffer.alertOnce(
      `period ${gameId}`,
      'info',
      'PERIOD_UNKNOWN',
      'the period of a child game is not known: the child game is not quoted',
      { gameId, parentGameId, period: periodName, game: eventName },
    );
  }
}
