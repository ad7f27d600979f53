// Which games are kept, and how parts of games are found: books of leagues and the feed tell of some, the book of a game of all.
// Invariants: without a selection of parts nothing is asked for them; what a part is that does not say so itself is asked of
// the book of its game once, and never guessed.
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

  /** Child games or props are selected. */
  get areWanted(): boolean {
    return wantsParts(this.#selection.parts);
  }

  /** Of a game that is not known, in this league: the book of its parent, which is asked for, may tell of it. */
  mayTellOf(league: string): boolean {
    return this.#reads.awaitsParts && (this.#known.leagues.has(league) || isPropLeague(league));
  }

  /** A game that is not known yet. The book of a game lists all its parts: those that nobody quotes are passed over. */
  isKept(message: GameMessage, read: PendingRead | undefined): boolean {
    const { gameId: id, parentGameId, league = '', futures = false } = message;
    if (!isSelectedGame({ id, league, parentGameId }, this.#selection, this.#known)) return false;
    const isListed = read?.read.what === 'game' && read.read.gameId !== id;
    const isByItself = isSelectedGame({ id, league }, this.#selection, this.#known);
    if (isByItself && !isListed) return true;
    return isSelectedPart({ ...partOf(message, undefined), futures }, this.#selection);
  }

  /** The book of a game lists its parts, and says what a part is that does not say so itself. */
  ask({ id, kind, period, parentGameId, ended }: Game): void {
    if (ended || !this.areWanted) return;
    if (kind === 'game') this.#reads.askParts(id);
    if (kind === 'child' && period === undefined && parentGameId !== undefined) this.#reads.askParts(parentGameId, id);
  }

  /** The book of its game was read, which says what a part is if anything does. */
  applyListed(message: GameMessage): void {
    const { gameId, parentGameId, periodName, eventName } = message;
    const { kind, period } = partOf(message, this.#mirror.games.get(gameId)?.game);
    const isWanted = this.#selection.parts?.periods.some((one) => one !== 'full') === true;
    if (kind !== 'child' || period !== undefined || !isWanted) return;
    this.#buffer.alertOnce(
      `period ${gameId}`,
      'info',
      'PERIOD_UNKNOWN',
      'it is not known of which period a child game is: it is not quoted',
      { gameId, parentGameId, period: periodName, game: eventName },
    );
  }
}
