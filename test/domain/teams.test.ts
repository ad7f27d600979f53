// Home and away that change places: a bet stays on its team, so whatever the game comes to, each team's backers are paid the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Game, GameResult, Market, MarketId, Micros, ParticipantId } from '../../src/domain/index.ts';
import {
  applyFill,
  endOf,
  eventNameOf,
  FLAT,
  lineFor,
  market,
  profitAt,
  sportRule,
  swapKept,
  swappedPlace,
  swappedPosition,
  swappedPrice,
  swappedResult,
  teamChange,
  withTeams,
  worstCaseOfGame,
} from '../../src/domain/index.ts';
import { amounts, GAME, markets, sideOf } from './arbitraries.ts';

const team = (id: string, name = id) => ({ id: id as ParticipantId, name, shortName: name });
const teams = (home: ReturnType<typeof team>, away: ReturnType<typeof team>) => ({ home, away });
const LAKERS = team('l', 'Los Angeles Lakers');
const JAZZ = team('j', 'Utah Jazz');

describe('the teams of two headers', () => {
  it.each([
    ['as they were', teams(LAKERS, JAZZ), 'same'],
    ['renamed', teams(team('l', 'LA Lakers'), team('j', 'Jazz')), 'same'],
    ['in each other’s place', teams(JAZZ, LAKERS), 'swapped'],
    ['in each other’s place, and renamed', teams(team('j', 'Utah'), team('l', 'LA')), 'swapped'],
    ['under other ids', teams(team('1', 'los angeles lakers'), team('2', 'UTAH JAZZ')), 'same'],
    ['under other ids, in each other’s place', teams(team('1', 'Utah Jazz'), team('2', LAKERS.name)), 'swapped'],
    ['one under another id', teams(LAKERS, team('2', 'Utah Jazz')), 'same'],
    ['one replaced', teams(LAKERS, team('c', 'Boston Celtics')), 'replaced'],
    ['both replaced', teams(team('1', 'a'), team('2', 'b')), 'replaced'],
    ['one whose id is the other’s by now', teams(team('j', LAKERS.name), team('x', 'Utah Jazz')), 'replaced'],
  ] as const)('%s', (_how, after, change) => {
    expect(teamChange(teams(LAKERS, JAZZ), after)).toBe(change);
  });

  it('are not told apart by a name that both have', () => {
    const before = teams(team('1', 'Player'), team('2', 'Player'));
    expect(teamChange(before, teams(team('3', 'Player'), team('4', 'Player')))).toBe('replaced');
  });
});

const SCORES: fc.Arbitrary<GameResult> = fc.oneof(
  fc.record({ home: fc.integer({ min: 0, max: 60 }), away: fc.integer({ min: 0, max: 60 }) }),
  fc.constantFrom<GameResult>({ winner: 'home' }, { winner: 'away' }, { winner: 'draw' }, { void: true }),
  fc.record({ share: fc.constantFrom(-1, -0.5, 0, 0.5, 1) }).map((part) => ({ by: { moneyline: part, total: part } })),
);
const RULES = fc.constantFrom('both-lose', 'push').map((draw) =>
  sportRule({
    moneyline: 'score',
    spread: 'score',
    total: 'score',
    draw,
    voidApart: 'none',
    shootOut: false,
    fewerWins: false,
  }),
);

describe('a bet after home and away changed places', () => {
  it('pays its team the same, however the game ends', () => {
    fc.assert(
      fc.property(markets, fc.nat({ max: 1 }), amounts, amounts, SCORES, RULES, (of, index, risk, win, end, rule) => {
        const before = { market: of, side: sideOf(of, index), risk, win };
        const after = swappedPlace(before);
        const ends = [endOf(of, end, rule), endOf(after.market, swappedResult(end), rule)];
        expect(ends[1] === undefined).toBe(ends[0] === undefined);
        if (ends[0] === undefined || ends[1] === undefined) return;
        // -0 is 0
        expect(profitAt(after, ends[1]) + 0).toBe(profitAt(before, ends[0]) + 0);
        // the line as the owner of the bet reads it is the same
        expect(lineFor(after.market, after.side)).toBe(lineFor(of, before.side));
        expect(swappedPlace(after)).toEqual(before);
      }),
    );
  });

  it('can lose as much in its game as before', () => {
    const bets = fc.array(fc.tuple(markets, fc.nat({ max: 1 }), amounts, amounts), { maxLength: 6 });
    fc.assert(
      fc.property(bets, RULES, (all, rule) => {
        const exposuresOf = (swap: boolean) => {
          const kept = new Map<MarketId, { market: Market; position: typeof FLAT }>();
          for (const [of, index, risk, win] of all) {
            const bet = { market: of, side: sideOf(of, index) };
            const { market: at, side } = swap ? swappedPlace(bet) : bet;
            const position = applyFill(kept.get(at.id)?.position ?? FLAT, side, risk, win);
            kept.set(at.id, { market: at, position });
          }
          return kept;
        };
        const worst = (kept: ReturnType<typeof exposuresOf>) =>
          worstCaseOfGame(
            [...kept.values()].map((one) => ({ ...one, openFirst: 0 as Micros, openSecond: 0 as Micros })),
            rule,
          );
        const before = exposuresOf(false);
        const after = exposuresOf(true);
        expect(worst(after)).toBe(worst(before));
        // positions that are moved whole are those of the bets moved one by one
        swapKept(
          before,
          [...before.values()].map(({ market: of }) => of),
          ({ position }, of) => ({
            market: swappedPlace({ market: of, side: of.sides[0] }).market,
            position: swappedPosition(of, position),
          }),
        );
        expect(before).toEqual(after);
      }),
    );
  });

  it('has the price of its team, and the main spread of the header stays with its team', () => {
    expect(swappedPrice(market(GAME, 'moneyline'), 0.7)).toBeCloseTo(0.3, 12);
    expect(swappedPrice(market(GAME, 'total', 40), 0.7)).toBe(0.7);
    const game: Game = {
      id: GAME,
      parentGameId: undefined,
      league: 'NBA',
      sport: 'basketball',
      start: 0,
      live: false,
      ended: false,
      open: true,
      futures: false,
      mainHomeSpread: -3.5,
      mainTotal: 220.5,
      kind: 'game',
      period: 'full',
      ...teams(LAKERS, JAZZ),
      eventName: eventNameOf(teams(LAKERS, JAZZ)),
    };
    expect(withTeams(game, teams(JAZZ, LAKERS))).toMatchObject({
      home: JAZZ,
      away: LAKERS,
      eventName: 'Los Angeles Lakers @ Utah Jazz',
      mainHomeSpread: 3.5,
      mainTotal: 220.5,
    });
    expect(withTeams({ ...game, eventName: 'Game 7' }, teams(JAZZ, LAKERS)).eventName).toBe('Game 7');
  });

  it('finds the market that a result names by its id', () => {
    expect(
      swappedResult({
        by: { 'g/spread/-3.5': { share: 1 }, 'g/total/40': { share: 1 }, 'g/moneyline': { winner: 'home' } },
      }),
    ).toEqual({
      by: { 'g/spread/3.5': { share: -1 }, 'g/total/40': { share: 1 }, 'g/moneyline': { winner: 'away' } },
    });
  });
});
