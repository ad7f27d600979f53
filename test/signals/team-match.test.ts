// Which game an event is: a wrong match costs money, a missing one none.
import { describe, expect, it } from 'vitest';
import type { Game } from '../../src/domain/index.ts';
import type { TeamTable } from '../../src/signals/index.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import { matchEvents } from '../../src/signals/team-match.ts';
import { event, game, NOW, START } from './odds.ts';

type Told = readonly [home: string, away: string, more?: object];

async function matched(told: readonly Told[], games: readonly Game[], table: TeamTable = {}, now = NOW) {
  const all = told.map(([home, away, more], index) => event(home, away, [], { id: String(index), ...more }));
  const document = readOdds(JSON.stringify(all));
  if (typeof document === 'string') throw new Error(document);
  const rest = (): Promise<void> => Promise.resolve();
  const { matched: found, unmatched } = await matchEvents(document.events, games, table, rest, now);
  return {
    found: found.map(({ event: of, game: to, isTurned }) => [of.id, to.id, ...(isTurned ? ['turned'] : [])]),
    why: unmatched.map(({ why }) => why),
  };
}

const at = (minutes: number) => ({ commence_time: new Date(START + minutes * 60_000).toISOString() });
const LAKERS = game('Los Angeles Lakers', 'Boston Celtics');

describe('an event of the feed', () => {
  it.each([
    ['the same names', 'Los Angeles Lakers', 'Boston Celtics'],
    ['other case and signs', 'LOS ANGELES LAKERS', 'Boston-Celtics'],
    ['names without the place', 'Lakers', 'Celtics'],
    ['a slip in one of them', 'Los Angeles Laker', 'Boston Celtics'],
    ['a slip in one and no place in the other', 'Los Angelos Lakers', 'Celtics'],
    ['the short name', 'LOS', 'Boston Celtics'],
  ])('is the game with %s', async (_name, home, away) => {
    expect(await matched([[home, away]], [LAKERS])).toEqual({ found: [['0', LAKERS.id]], why: [] });
  });

  it('may have home and away the other way round', async () => {
    expect((await matched([['Boston Celtics', 'Los Angeles Lakers']], [LAKERS])).found).toEqual([
      ['0', LAKERS.id, 'turned'],
    ]);
  });

  it('goes by the table first, whatever signs its names are written with', async () => {
    const table = { 'L.A. Lake-Show': 'Los Angeles Lakers' };
    expect((await matched([['LA Lake Show', 'Boston Celtics']], [LAKERS], table)).found).toHaveLength(1);
    expect((await matched([['LA Lake Show', 'Boston Celtics']], [LAKERS])).why).toEqual([
      'one team alone is in Boston Celtics @ Los Angeles Lakers',
    ]);
  });

  it.each([
    ['another city’s team', 'Los Angeles Clippers', 'Boston Celtics'],
    ['a state school', 'Iowa State', 'Ohio State', game('Iowa', 'Ohio State')],
    ['a direction before it', 'Carolina', 'Duke Blue Devils', game('North Carolina', 'Duke Blue Devils')],
    ['two slips', 'Los Angelos Laker', 'Bostn Celtic'],
    ['women', 'Duke Women', 'Iowa Women', game('Duke', 'Iowa')],
    ['reserves', 'Bayern II', 'Ulm', game('Bayern', 'Ulm')],
    ['youth', 'Spain U21', 'Italy U21', game('Spain U19', 'Italy U19')],
    ['a number that is another', 'Schalke 04 Gelsen', 'Ulm', game('Schalke 05 Gelsen', 'Ulm')],
  ] as const)('is no game that has %s', async (_name, home, away, of = LAKERS) => {
    expect((await matched([[home, away]], [of])).found).toEqual([]);
  });

  it('fits its start: within minutes where names are only alike', async () => {
    expect((await matched([['Los Angeles Lakers', 'Boston Celtics', at(80)]], [LAKERS])).found).toHaveLength(1);
    expect((await matched([['Los Angeles Lakers', 'Boston Celtics', at(100)]], [LAKERS])).why).toEqual([
      'Boston Celtics @ Los Angeles Lakers starts 100 minutes apart',
    ]);
    expect((await matched([['Lakers', 'Celtics', at(-20)]], [LAKERS])).found).toHaveLength(1);
    expect((await matched([['Lakers', 'Celtics', at(40)]], [LAKERS])).found).toEqual([]);
  });

  it('is the game of a doubleheader that starts then', async () => {
    const second = game('Los Angeles Lakers', 'Boston Celtics', {
      id: 'second' as Game['id'],
      start: START + 4 * 3_600_000,
    });
    const told: readonly Told[] = [
      ['Los Angeles Lakers', 'Boston Celtics', at(5)],
      ['Los Angeles Lakers', 'Boston Celtics', at(4 * 60 - 5)],
    ];
    expect((await matched(told, [LAKERS, second])).found).toEqual([
      ['0', LAKERS.id],
      ['1', 'second'],
    ]);
  });

  describe('of teams that meet twice a day', () => {
    const [HAWKS, BULLS] = ['Hill Town Hawks', 'Bay City Bulls'];
    const of = (id: string, minutes: number, more: Partial<Game> = {}): Game =>
      game(BULLS, HAWKS, {
        id: id as Game['id'],
        league: 'MLB',
        sport: 'baseball',
        start: START + minutes * 60_000,
        ...more,
      });
    const told = (minutes: number): Told => [BULLS, HAWKS, { ...at(minutes), sport_key: 'baseball_mlb' }];
    const inPlay = { live: true };
    const MINUTES = 'starts 60 minutes apart: its teams may meet twice a day, and at most 30 are one game';

    it.each([
      [
        'both listed',
        [told(0), told(240)],
        [of('g1', 0), of('g2', 240)],
        [
          ['0', 'g1'],
          ['1', 'g2'],
        ],
        [],
      ],
      ['the second one with a guess', [told(0), told(60)], [of('g1', 0), of('g2', 240)], [['0', 'g1']], [MINUTES]],
      ['the first in play', [told(60)], [of('g1', 0, inPlay)], [], [MINUTES]],
      ['the second at the exchange as well', [told(60)], [of('g1', 0, inPlay), of('g2', 240)], [], [MINUTES]],
    ] as const)('is the game of its start: %s', async (_name, events, games, found, why) => {
      expect(await matched(events, games)).toEqual({
        found,
        why: why.map((text) => `${HAWKS} @ ${BULLS} ${text}`),
      });
    });

    it('is the game of its start in a league without doubleheaders too, where feed or exchange has two', async () => {
      const late: Told = ['Los Angeles Lakers', 'Boston Celtics', at(80)];
      const second = game('Los Angeles Lakers', 'Boston Celtics', {
        id: 'second' as Game['id'],
        start: START + 5 * 3_600_000,
      });
      expect((await matched([late], [LAKERS])).found).toHaveLength(1);
      expect((await matched([late], [LAKERS, second])).found).toEqual([]);
      expect((await matched([['Los Angeles Lakers', 'Boston Celtics'], late], [LAKERS])).found).toEqual([
        ['0', LAKERS.id],
      ]);
    });

    it('is within ten minutes where one pair plays all day', async () => {
      const players = (minutes: number): Told => [
        ...(['Jan Novak', 'Petr Svoboda'] as const),
        { ...at(minutes), sport_key: 'table_tennis_setka' },
      ];
      const one = game('Jan Novak', 'Petr Svoboda', { league: 'Setka Cup', sport: 'table tennis' });
      expect((await matched([players(9)], [one])).found).toHaveLength(1);
      expect((await matched([players(25)], [one])).found).toEqual([]);
    });

    it('is the game of its day in a series', async () => {
      const series = [0, 1, 2].map((day) => of(`g${day}`, day * 1440));
      expect((await matched([told(1440), told(2880)], series)).found).toEqual([
        ['0', 'g1'],
        ['1', 'g2'],
      ]);
      expect((await matched([told(1440)], [of('g0', 0)])).found).toEqual([]);
    });
  });

  it('that is still to come is no game that has begun, in play or by the clock', async () => {
    const told: readonly Told[] = [['Los Angeles Lakers', 'Boston Celtics', at(20)]];
    const why = ['Boston Celtics @ Los Angeles Lakers has begun, and the event is still to come'];
    expect((await matched(told, [LAKERS])).found).toHaveLength(1);
    expect(await matched(told, [{ ...LAKERS, live: true }])).toEqual({ found: [], why });
    expect(await matched(told, [LAKERS], {}, START)).toEqual({ found: [], why });
    // both have begun
    expect((await matched(told, [{ ...LAKERS, live: true }], {}, START + 20 * 60_000)).found).toHaveLength(1);
  });

  it('that fits two games, or is one of two that fit a game, is refused', async () => {
    const twin = game('Los Angeles Lakers', 'Boston Celtics', { id: 'twin' as Game['id'], league: 'NBA-2' });
    expect(await matched([['Lakers', 'Celtics']], [LAKERS, twin])).toEqual({
      found: [],
      why: ['it fits more than one game'],
    });
    expect(
      await matched(
        [
          ['Lakers', 'Celtics'],
          ['Los Angeles Lakers', 'Boston Celtics'],
        ],
        [LAKERS],
      ),
    ).toEqual({
      found: [],
      why: Array(2).fill('another event fits Boston Celtics @ Los Angeles Lakers as well'),
    });
  });

  it('is of the same sport and sex, and of a whole game that goes on', async () => {
    const told: readonly Told[] = [['Los Angeles Lakers', 'Boston Celtics']];
    const sport = (sport_key: string): readonly Told[] => [['Los Angeles Lakers', 'Boston Celtics', { sport_key }]];
    for (const key of ['icehockey_nhl', 'basketball_wnba', 'soccer_usa_mls'])
      expect([key, (await matched(sport(key), [LAKERS])).why]).toEqual([key, ['no game has these teams']]);
    expect((await matched(sport('lacrosse_ncaa'), [LAKERS])).found).toHaveLength(1);
    for (const more of [{ ended: true }, { futures: true }, { parentGameId: 'p' as Game['id'] }])
      expect((await matched(told, [{ ...LAKERS, ...more }])).found).toEqual([]);
  });
});
