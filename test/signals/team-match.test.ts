// Matches events of a feed with games: a wrong match costs money, a missing match costs nothing.
import { describe, expect, it } from 'vitest';
import type { Game } from '../../src/domain/index.ts';
import type { TeamTable } from '../../src/signals/index.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import { matchEvents } from '../../src/signals/team-match.ts';
import { event, game, NOW, START } from './odds.ts';

type Listing = readonly [home: string, away: string, fields?: object];

async function matched(listings: readonly Listing[], games: readonly Game[], table: TeamTable = {}, now = NOW) {
  const all = listings.map(([home, away, fields], index) => event(home, away, [], { id: String(index), ...fields }));
  const document = readOdds(JSON.stringify(all));
  if (typeof document === 'string') throw new Error(document);
  const yieldTurn = (): Promise<void> => Promise.resolve();
  const { matched: found, unmatched } = await matchEvents(document.events, games, table, yieldTurn, now);
  return {
    found: found.map(({ event: listed, game: to, isTurned }) => [listed.id, to.id, ...(isTurned ? ['turned'] : [])]),
    why: unmatched.map(({ why }) => why),
  };
}

const startsAfter = (minutes: number) => ({ commence_time: new Date(START + minutes * 60_000).toISOString() });
const LAKERS = game('Los Angeles Lakers', 'Boston Celtics');

describe('an event of the feed', () => {
  it.each([
    ['the same names', 'Los Angeles Lakers', 'Boston Celtics'],
    ['another case and punctuation', 'LOS ANGELES LAKERS', 'Boston-Celtics'],
    ['names without the place', 'Lakers', 'Celtics'],
    ['a typo in one of them', 'Los Angeles Laker', 'Boston Celtics'],
    ['a typo in one and no place in the other', 'Los Angelos Lakers', 'Celtics'],
    ['the short name', 'LOS', 'Boston Celtics'],
  ])('matches the game with %s', async (_name, home, away) => {
    expect(await matched([[home, away]], [LAKERS])).toEqual({ found: [['0', LAKERS.id]], why: [] });
  });

  it('matches a game whose home and away are the other way round', async () => {
    expect((await matched([['Boston Celtics', 'Los Angeles Lakers']], [LAKERS])).found).toEqual([
      ['0', LAKERS.id, 'turned'],
    ]);
  });

  it('is matched by the table of names first, whatever punctuation its names have', async () => {
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
    ['two typos', 'Los Angelos Laker', 'Bostn Celtic'],
    ['women', 'Duke Women', 'Iowa Women', game('Duke', 'Iowa')],
    ['reserves', 'Bayern II', 'Ulm', game('Bayern', 'Ulm')],
    ['youth', 'Spain U21', 'Italy U21', game('Spain U19', 'Italy U19')],
    ['another number in the name', 'Schalke 04 Gelsen', 'Ulm', game('Schalke 05 Gelsen', 'Ulm')],
  ] as const)('does not match a game that differs by %s', async (_name, home, away, listed = LAKERS) => {
    expect((await matched([[home, away]], [listed])).found).toEqual([]);
  });

  it('matches a game by its start: within minutes when names are only similar', async () => {
    expect((await matched([['Los Angeles Lakers', 'Boston Celtics', startsAfter(80)]], [LAKERS])).found).toHaveLength(
      1,
    );
    expect((await matched([['Los Angeles Lakers', 'Boston Celtics', startsAfter(100)]], [LAKERS])).why).toEqual([
      'Boston Celtics @ Los Angeles Lakers starts 100 minutes apart',
    ]);
    expect((await matched([['Lakers', 'Celtics', startsAfter(-20)]], [LAKERS])).found).toHaveLength(1);
    expect((await matched([['Lakers', 'Celtics', startsAfter(40)]], [LAKERS])).found).toEqual([]);
  });

  it('matches the game of a doubleheader that starts at its time', async () => {
    const second = game('Los Angeles Lakers', 'Boston Celtics', {
      id: 'second' as Game['id'],
      start: START + 4 * 3_600_000,
    });
    const listings: readonly Listing[] = [
      ['Los Angeles Lakers', 'Boston Celtics', startsAfter(5)],
      ['Los Angeles Lakers', 'Boston Celtics', startsAfter(4 * 60 - 5)],
    ];
    expect((await matched(listings, [LAKERS, second])).found).toEqual([
      ['0', LAKERS.id],
      ['1', 'second'],
    ]);
  });

  describe('between teams that meet twice a day', () => {
    const [HAWKS, BULLS] = ['Hill Town Hawks', 'Bay City Bulls'];
    const listed = (id: string, minutes: number, fields: Partial<Game> = {}): Game =>
      game(BULLS, HAWKS, {
        id: id as Game['id'],
        league: 'MLB',
        sport: 'baseball',
        start: START + minutes * 60_000,
        ...fields,
      });
    const listing = (minutes: number): Listing => [
      BULLS,
      HAWKS,
      { ...startsAfter(minutes), sport_key: 'baseball_mlb' },
    ];
    const inPlay = { live: true };
    const MINUTES = 'starts 60 minutes apart: its teams may meet twice a day, and at most 30 are one game';

    it.each([
      [
        'both listed',
        [listing(0), listing(240)],
        [listed('g1', 0), listed('g2', 240)],
        [
          ['0', 'g1'],
          ['1', 'g2'],
        ],
        [],
      ],
      [
        'the second event at an estimated time',
        [listing(0), listing(60)],
        [listed('g1', 0), listed('g2', 240)],
        [['0', 'g1']],
        [MINUTES],
      ],
      ['the first in play', [listing(60)], [listed('g1', 0, inPlay)], [], [MINUTES]],
      [
        'the second game listed by the exchange as well',
        [listing(60)],
        [listed('g1', 0, inPlay), listed('g2', 240)],
        [],
        [MINUTES],
      ],
    ] as const)('matches the game of its start: %s', async (_name, events, games, found, why) => {
      expect(await matched(events, games)).toEqual({
        found,
        why: why.map((text) => `${HAWKS} @ ${BULLS} ${text}`),
      });
    });

    it('matches the game of its start in other leagues too, when the feed or the exchange lists two', async () => {
      const late: Listing = ['Los Angeles Lakers', 'Boston Celtics', startsAfter(80)];
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

    it('matches within ten minutes when the same pair plays all day', async () => {
      const players = (minutes: number): Listing => [
        ...(['Jan Novak', 'Petr Svoboda'] as const),
        { ...startsAfter(minutes), sport_key: 'table_tennis_setka' },
      ];
      const match = game('Jan Novak', 'Petr Svoboda', { league: 'Setka Cup', sport: 'table tennis' });
      expect((await matched([players(9)], [match])).found).toHaveLength(1);
      expect((await matched([players(25)], [match])).found).toEqual([]);
    });

    it('matches the game of its day in a series', async () => {
      const series = [0, 1, 2].map((day) => listed(`g${day}`, day * 1440));
      expect((await matched([listing(1440), listing(2880)], series)).found).toEqual([
        ['0', 'g1'],
        ['1', 'g2'],
      ]);
      expect((await matched([listing(1440)], [listed('g0', 0)])).found).toEqual([]);
    });
  });

  it('that is still to come matches no game that has begun, in play or by the clock', async () => {
    const listings: readonly Listing[] = [['Los Angeles Lakers', 'Boston Celtics', startsAfter(20)]];
    const why = ['Boston Celtics @ Los Angeles Lakers has begun, and the event is still to come'];
    expect((await matched(listings, [LAKERS])).found).toHaveLength(1);
    expect(await matched(listings, [{ ...LAKERS, live: true }])).toEqual({ found: [], why });
    expect(await matched(listings, [LAKERS], {}, START)).toEqual({ found: [], why });
    // both have begun
    expect((await matched(listings, [{ ...LAKERS, live: true }], {}, START + 20 * 60_000)).found).toHaveLength(1);
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

  it('matches only a whole game of the same sport and sex that has not ended', async () => {
    const listings: readonly Listing[] = [['Los Angeles Lakers', 'Boston Celtics']];
    const sport = (sport_key: string): readonly Listing[] => [['Los Angeles Lakers', 'Boston Celtics', { sport_key }]];
    for (const key of ['icehockey_nhl', 'basketball_wnba', 'soccer_usa_mls'])
      expect([key, (await matched(sport(key), [LAKERS])).why]).toEqual([key, ['no game has these teams']]);
    expect((await matched(sport('lacrosse_ncaa'), [LAKERS])).found).toHaveLength(1);
    for (const fields of [{ ended: true }, { futures: true }, { parentGameId: 'p' as Game['id'] }])
      expect((await matched(listings, [{ ...LAKERS, ...fields }])).found).toEqual([]);
  });
});
