// When home and away change places, a bet stays on its team: at any end of the game its backers are paid the
// same.
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

describe('teamChange between two headers of a game', () => {
  it.each([
    ['teams as before', teams(LAKERS, JAZZ), 'same'],
    ['renamed teams', teams(team('l', 'LA Lakers'), team('j', 'Jazz')), 'same'],
    ['teams in each other’s place', teams(JAZZ, LAKERS), 'swapped'],
    ['renamed teams in each other’s place', teams(team('j', 'Utah'), team('l', 'LA')), 'swapped'],
    ['teams under other ids', teams(team('1', 'los angeles lakers'), team('2', 'UTAH JAZZ')), 'same'],
    ['teams under other ids in each other’s place', teams(team('1', 'Utah Jazz'), team('2', LAKERS.name)), 'swapped'],
    ['a team under another id', teams(LAKERS, team('2', 'Utah Jazz')), 'same'],
    ['one replaced team', teams(LAKERS, team('c', 'Boston Celtics')), 'replaced'],
    ['two replaced teams', teams(team('1', 'a'), team('2', 'b')), 'replaced'],
    ['a team whose id now belongs to the other', teams(team('j', LAKERS.name), team('x', 'Utah Jazz')), 'replaced'],
  ] as const)('finds %s', (_how, after, change) => {
    expect(teamChange(teams(LAKERS, JAZZ), after)).toBe(change);
  });

  it('does not match teams by a name that both have', () => {
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
  it('pays the same at each end of the game', () => {
    fc.assert(
      fc.property(
        markets,
        fc.nat({ max: 1 }),
        amounts,
        amounts,
        SCORES,
        RULES,
        (betMarket, index, risk, win, end, rule) => {
          const before = { market: betMarket, side: sideOf(betMarket, index), risk, win };
          const after = swappedPlace(before);
          const ends = [endOf(betMarket, end, rule), endOf(after.market, swappedResult(end), rule)];
          expect(ends[1] === undefined).toBe(ends[0] === undefined);
          if (ends[0] === undefined || ends[1] === undefined) return;
          // adding 0 makes 0 of -0
          expect(profitAt(after, ends[1]) + 0).toBe(profitAt(before, ends[0]) + 0);
          // the line from the side of the bet is the same
          expect(lineFor(after.market, after.side)).toBe(lineFor(betMarket, before.side));
          expect(swappedPlace(after)).toEqual(before);
        },
      ),
    );
  });

  it('leaves the worst case of the game unchanged', () => {
    const bets = fc.array(fc.tuple(markets, fc.nat({ max: 1 }), amounts, amounts), { maxLength: 6 });
    fc.assert(
      fc.property(bets, RULES, (all, rule) => {
        const exposuresOf = (swap: boolean) => {
          const kept = new Map<MarketId, { market: Market; position: typeof FLAT }>();
          for (const [betMarket, index, risk, win] of all) {
            const bet = { market: betMarket, side: sideOf(betMarket, index) };
            const { market: place, side } = swap ? swappedPlace(bet) : bet;
            const position = applyFill(kept.get(place.id)?.position ?? FLAT, side, risk, win);
            kept.set(place.id, { market: place, position });
          }
          return kept;
        };
        const worst = (kept: ReturnType<typeof exposuresOf>) =>
          worstCaseOfGame(
            [...kept.values()].map((exposure) => ({ ...exposure, openFirst: 0 as Micros, openSecond: 0 as Micros })),
            rule,
          );
        const before = exposuresOf(false);
        const after = exposuresOf(true);
        expect(worst(after)).toBe(worst(before));
        // swapped positions equal the positions of the swapped bets
        swapKept(
          before,
          [...before.values()].map(({ market: betMarket }) => betMarket),
          ({ position }, betMarket) => ({
            market: swappedPlace({ market: betMarket, side: betMarket.sides[0] }).market,
            position: swappedPosition(betMarket, position),
          }),
        );
        expect(before).toEqual(after);
      }),
    );
  });

  it('has the price of its team, and the main spread of the header follows its team', () => {
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

  it('is settled by a swapped result, also one that names markets by id', () => {
    expect(
      swappedResult({
        by: { 'g/spread/-3.5': { share: 1 }, 'g/total/40': { share: 1 }, 'g/moneyline': { winner: 'home' } },
      }),
    ).toEqual({
      by: { 'g/spread/3.5': { share: -1 }, 'g/total/40': { share: 1 }, 'g/moneyline': { winner: 'away' } },
    });
  });
});
