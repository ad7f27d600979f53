// Games in a report: when each could lose most, with what that stands on.
import { describe, expect, it } from 'vitest';
import type { EventOf, GameId, Micros } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import { drawnGames, gameRows } from '../../src/report/game-rows.ts';
import { gamesSection } from '../../src/report/html/games-section.ts';
import { GameRiskPeaks } from '../../src/run/game-risks.ts';
import { mergedRisks } from '../../src/run/index.ts';

const micros = (dollars: number): Micros => (dollars * 1e6) as Micros;
type Risk = Omit<EventOf<'GameRisk'>, 'type'>;

function risk(game: string, shortfall: number, model: Partial<NonNullable<Risk['score']>['model']> = {}): Risk {
  const id = game as GameId;
  return {
    game: id,
    worst: micros(-100),
    markets: [{ market: market(id, 'moneyline').id, first: micros(90), second: micros(-100), staked: micros(100) }],
    score: {
      source: 'odds',
      expected: micros(22.3),
      deviation: micros(91),
      quantile: micros(-100),
      shortfall: micros(shortfall),
      worst: micros(-100),
      model: { sport: 'basketball', parameters: { margin: 4.5, total: 225 }, state: {}, period: 'full', ...model },
    },
  };
}
const unknown = (game: string): Risk => {
  const { game: id, worst, markets } = risk(game, 0);
  return { game: id, worst, markets };
};
const peak = (measured: Risk) => ({ ...measured, t: 1 });

describe('the peaks of a run', () => {
  it('keep each game when its shortfall was largest, also over several runs', () => {
    const peaks = new GameRiskPeaks();
    for (const [t, shortfall] of [-50, -90, -70].entries())
      peaks.applyEvent({ type: 'GameRisk', ...risk('g1', shortfall) }, t);
    expect(peaks.all).toEqual([{ ...risk('g1', -90), t: 1 }]);
    expect(mergedRisks([...peaks.all, peak(risk('g1', -95)), peak(unknown('g2'))]).map(({ game }) => game)).toEqual([
      'g1',
      'g2',
    ]);
  });
});

describe('the rows of games', () => {
  it('come with the largest shortfall first, and with the worst case where nothing is known of the score', () => {
    const rows = gameRows([peak(risk('g1', -40)), peak(unknown('g2')), peak(risk('g3', -80))]);
    expect(rows.map(({ gameId, shortfall, worst }) => [gameId, shortfall, worst])).toEqual([
      ['g2', null, -100],
      ['g3', -80, -100],
      ['g1', -40, -100],
    ]);
  });

  it('are drawn from the model of the event; one that this version cannot read is left out', () => {
    const risks = [
      peak(risk('g1', -40)),
      peak(unknown('g2')),
      peak(risk('g3', -80, { sport: 'chess' })),
      peak(risk('g4', -60, { period: 'h1' })),
    ];
    const drawn = drawnGames(risks, gameRows(risks));
    expect(drawn.map(({ gameId, hurting }) => [gameId, hurting.map(({ scores }) => scores)])).toEqual([
      ['g4', ['away wins']],
      ['g1', ['away wins']],
    ]);
    expect(drawn[1]?.map.cells.flat().reduce((sum, { p }) => sum + p, 0)).toBeCloseTo(1, 9);
  });
});

describe('the section of games', () => {
  it('escapes names, and is left out of reports of former versions', () => {
    const risks = [peak(risk('g1', -40))];
    const games = gameRows(risks);
    const pictures = { games: drawnGames(risks, games) };
    const html = gamesSection({ games, pictures, names: { g1: '<b>Hawks</b>' } } as never);
    expect(html).toContain('&lt;b&gt;Hawks');
    expect(html).toContain('<svg');
    expect(html).not.toContain('<b>Hawks');
    expect(gamesSection({ pictures: {} } as never)).toBe('');
  });
});
