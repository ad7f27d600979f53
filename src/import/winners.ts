// The settlement of markets by Betfair: the winners, and the final score where the settled markets determine
// one.
import type { FinalScore, GameResult, MarketType, Winner } from '../domain/index.ts';
import { kindOf, runnerKey } from './market-kind.ts';
import type { MarketDefinition, RunnerDefinition } from './stream-line.ts';

/** The result of one settled market. */
export type Winners = {
  readonly market: string;
  readonly marketType: string;
  /** Betfair's names of the winners. */
  readonly names: readonly string[];
  /** The exact final score, where this market gives one. */
  readonly score: FinalScore | undefined;
  /**
   * The winner of the game, as settled. Undefined when the market is not about the winner, or has several
   * winners.
   */
  readonly winner: Winner | undefined;
  readonly lines: readonly {
    readonly type: MarketType;
    readonly line: number;
    /** True when home or over won. */
    readonly isFirst: boolean;
  }[];
};

const EXACT = /^(\d{1,3}) ?- ?(\d{1,3})$/;

/** The winners of a market. Undefined when it is not settled. */
export function winnersOf(id: string, definition: MarketDefinition): Winners | undefined {
  const { status, marketType, runners, marketName } = definition;
  const winners = runners.filter((runner) => runner.status === 'WINNER');
  if (status !== 'CLOSED' || winners.length === 0) return undefined;
  const [only] = winners;
  // when an event names the away team first, the order of the goals is unknown
  const isPlain = marketType === 'CORRECT_SCORE' && winners.length === 1 && !/ @ /.test(definition.eventName ?? '');
  const exact = isPlain ? EXACT.exec(only?.name ?? '') : null;
  return {
    market: id,
    marketType: marketName ?? marketType,
    names: winners.map(({ name, id: runner }) => name ?? String(runner)),
    score: exact === null ? undefined : { home: Number(exact[1]), away: Number(exact[2]) },
    winner: winners.length === 1 ? winnerOf(definition) : undefined,
    lines: linesOf(definition),
  };
}

/** The winner of a Match Odds market, with or without a draw, or of a moneyline. */
function winnerOf(definition: MarketDefinition): Winner | undefined {
  const { marketType, runners } = definition;
  const isDraw = ({ name }: RunnerDefinition): boolean => /^the draw$/i.test(name ?? '');
  if (marketType === 'MATCH_ODDS' && runners.some((runner) => isDraw(runner) && runner.status === 'WINNER'))
    return 'draw';
  const kind = kindOf({ ...definition, runners: runners.filter((runner) => !isDraw(runner)) });
  if ('leftOut' in kind) return undefined;
  const [market] = kind.markets;
  if (market?.type !== 'moneyline') return undefined;
  const won = runners.find(({ status }) => status === 'WINNER');
  const winnerIndex = won === undefined ? -1 : market.runners.indexOf(runnerKey(won));
  return winnerIndex < 0 ? undefined : winnerIndex === 0 ? 'home' : 'away';
}

function linesOf(definition: MarketDefinition): Winners['lines'] {
  const kind = kindOf(definition);
  if ('leftOut' in kind) return [];
  const byKey = new Map<string, RunnerDefinition>(definition.runners.map((runner) => [runnerKey(runner), runner]));
  return kind.markets.flatMap(({ type, line, runners: [first, second] }) => {
    // whole and quarter lines may push, completely or in part
    if (line === undefined || Math.abs(line % 1) !== 0.5) return [];
    const ends = `${byKey.get(first)?.status} ${byKey.get(second)?.status}`;
    return ends === 'WINNER LOSER' || ends === 'LOSER WINNER' ? [{ type, line, isFirst: ends === 'WINNER LOSER' }] : [];
  });
}

/** The final score if the markets leave only one, and the winner. Undefined when neither is known. */
export function resultOf(winners: readonly Winners[]): GameResult | undefined {
  const score = scoreOf(winners);
  const won = new Set(winners.flatMap(({ winner }) => winner ?? []));
  const [winner] = won.size === 1 ? won : [];
  if (score === undefined && winner === undefined) return undefined;
  return { ...score, ...(winner === undefined ? {} : { winner }) };
}

function scoreOf(winners: readonly Winners[]): FinalScore | undefined {
  for (const { score } of winners) if (score !== undefined) return score;
  const total = { least: 0, most: Number.POSITIVE_INFINITY };
  const ahead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  for (const { type, line, isFirst } of winners.flatMap(({ lines }) => lines)) {
    // home wins a spread of −1.5 by two or more: home − away > 1.5
    const [bounds, threshold] = type === 'total' ? [total, line] : [ahead, 0 - line];
    if (isFirst) bounds.least = Math.max(bounds.least, Math.ceil(threshold));
    else bounds.most = Math.min(bounds.most, Math.floor(threshold));
  }
  if (total.least !== total.most || ahead.least !== ahead.most) return undefined;
  const [home, away] = [(total.least + ahead.least) / 2, (total.least - ahead.least) / 2];
  return Number.isInteger(home) && home >= 0 && away >= 0 ? { home, away } : undefined;
}
