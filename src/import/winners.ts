// How markets ended, as Betfair settled them: who won, and the final score where they leave only one.
import type { FinalScore, GameResult, MarketType, Winner } from '../domain/index.ts';
import { kindOf, runnerKey } from './market-kind.ts';
import type { MarketDefinition, RunnerDefinition } from './stream-line.ts';

/** Of one market that is settled. */
export type Winners = {
  readonly market: string;
  readonly marketType: string;
  /** As Betfair names them. */
  readonly names: readonly string[];
  /** What that says of the score: exact, or by lines without a push. */
  readonly score: FinalScore | undefined;
  /** Who won the game, as a market on that was settled; undefined: it is none, or has several winners. */
  readonly winner: Winner | undefined;
  readonly lines: readonly {
    readonly type: MarketType;
    readonly line: number;
    /** Home, or over, won. */
    readonly isFirst: boolean;
  }[];
};

const EXACT = /^(\d{1,3}) ?- ?(\d{1,3})$/;

/** Undefined: the market is not settled. */
export function winnersOf(id: string, definition: MarketDefinition): Winners | undefined {
  const { status, marketType, runners, marketName } = definition;
  const winners = runners.filter((runner) => runner.status === 'WINNER');
  if (status !== 'CLOSED' || winners.length === 0) return undefined;
  const [only] = winners;
  // of events that name the team that plays away first it is not known whose goals come first
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

/** Match Odds with or without a draw, and moneylines. */
function winnerOf(definition: MarketDefinition): Winner | undefined {
  const { marketType, runners } = definition;
  const isDraw = ({ name }: RunnerDefinition): boolean => /^the draw$/i.test(name ?? '');
  if (marketType === 'MATCH_ODDS' && runners.some((one) => isDraw(one) && one.status === 'WINNER')) return 'draw';
  const kind = kindOf({ ...definition, runners: runners.filter((one) => !isDraw(one)) });
  if ('leftOut' in kind) return undefined;
  const [market] = kind.markets;
  if (market?.type !== 'moneyline') return undefined;
  const won = runners.find(({ status }) => status === 'WINNER');
  const at = won === undefined ? -1 : market.runners.indexOf(runnerKey(won));
  return at < 0 ? undefined : at === 0 ? 'home' : 'away';
}

function linesOf(definition: MarketDefinition): Winners['lines'] {
  const kind = kindOf(definition);
  if ('leftOut' in kind) return [];
  const byKey = new Map<string, RunnerDefinition>(definition.runners.map((runner) => [runnerKey(runner), runner]));
  return kind.markets.flatMap(({ type, line, runners: [first, second] }) => {
    // whole and quarter lines may push, in part or whole
    if (line === undefined || Math.abs(line % 1) !== 0.5) return [];
    const ends = `${byKey.get(first)?.status} ${byKey.get(second)?.status}`;
    return ends === 'WINNER LOSER' || ends === 'LOSER WINNER' ? [{ type, line, isFirst: ends === 'WINNER LOSER' }] : [];
  });
}

/** The final score, if there is just one that all of this leaves, and who won; undefined: neither is known. */
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
    const [bounds, at] = type === 'total' ? [total, line] : [ahead, 0 - line];
    if (isFirst) bounds.least = Math.max(bounds.least, Math.ceil(at));
    else bounds.most = Math.min(bounds.most, Math.floor(at));
  }
  if (total.least !== total.most || ahead.least !== ahead.most) return undefined;
  const [home, away] = [(total.least + ahead.least) / 2, (total.least - ahead.least) / 2];
  return Number.isInteger(home) && home >= 0 && away >= 0 ? { home, away } : undefined;
}
