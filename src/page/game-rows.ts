// The rows of games with fills: what they may bring, and a small picture of it. They are computed every two
// seconds, since each takes as long as many rows of markets.
import type { Core, GameRiskStatus } from '../engine/index.ts';
import { cents, scoreFigures } from '../run/index.ts';
import { isDue } from './page-figures.ts';
import { periodOf } from './page-rows.ts';
import type { Parts } from './parts.ts';
import type { GamePictureView, GameRowView } from './state.ts';

export type GameRisksSource = Pick<Core, 'gameRisks' | 'gameOf'>;
type PayoffMap = NonNullable<GameRiskStatus['map']>;

/** A cell less likely than this is left out of the picture. */
const LEAST_P = 1e-4;
/** `j` is nothing, and each letter a ninth of the largest. */
const [NOTHING, STEPS] = ['j'.charCodeAt(0), 9];

export class GameRows {
  readonly #core: GameRisksSource;
  #rows: Readonly<Record<string, GameRowView>> = {};
  #rowsAt = Number.NEGATIVE_INFINITY;

  constructor(core: GameRisksSource) {
    this.#core = core;
  }

  /** The rows at `t`, Unix ms of the run. A past run may go back in time. */
  *at(t: number): Parts<Readonly<Record<string, GameRowView>>> {
    if (!isDue(t, this.#rowsAt)) return this.#rows;
    const rows: Record<string, GameRowView> = {};
    for (const risk of this.#core.gameRisks()) {
      rows[risk.gameId] = this.#rowOf(risk);
      yield;
    }
    this.#rows = rows;
    this.#rowsAt = t;
    return rows;
  }

  #rowOf({ gameId, game, league, start, live, markets, worst, byScore, map }: GameRiskStatus): GameRowView {
    return {
      game,
      league,
      start,
      live,
      period: periodOf(this.#core.gameOf(gameId)),
      markets,
      ...scoreFigures(byScore, cents),
      worst: cents(worst),
      hurting: (byScore?.hurting ?? []).map(
        ({ scores, value, p }) => [scores, cents(value), Math.round(1e4 * p) / 1e4] as const,
      ),
      picture: map === undefined ? null : pictureOf(map),
    };
  }
}

function pictureOf({ margins, totals, cells }: PayoffMap): GamePictureView {
  const all = cells.flat();
  const shown = all.filter(({ p }) => p >= LEAST_P);
  const largest = Math.max(0.01, ...shown.map(({ value }) => Math.abs(value)));
  const likeliest = Math.max(LEAST_P, ...shown.map(({ p }) => p));
  const axis = ([first]: PayoffMap['margins'], count: number) =>
    [first?.from ?? 0, first === undefined ? 1 : first.to - first.from + 1, count] as const;
  return {
    margins: axis(margins, margins.length),
    totals: axis(totals, totals.length),
    largest: cents(largest),
    values: all.map(({ value }) => letterOf(value / largest)).join(''),
    sizes: all.map(({ p }) => (p < LEAST_P ? ' ' : String(Math.round(9 * Math.sqrt(p / likeliest))))).join(''),
  };
}

const letterOf = (share: number): string =>
  String.fromCharCode(NOTHING + Math.round(STEPS * Math.max(-1, Math.min(1, share))));
