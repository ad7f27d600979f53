// Which game an event is: a wrong match costs money, a missing one none.
import { describe, expect, it } from 'vitest';
import type { Game } from '../../src/domain/index.ts';
import type { TeamTable } from '../../src/signals/index.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import { matchEvents } from '../../src/signals/team-match.ts';
import { event, game, START } from './odds.ts';

type Told = readonly [home: string, away: string, more?: object];

async function matched(told: readonly Told[], games: readonly Game[], table: TeamTable = {}) {
  const all = told.map(([home, away, more], index) => event(home, away, [], { id: String(index), ...more }));
  const document = readOdds(JSON.stringify(all));
  if (typeof document === 'string') throw new Error(document);
  const { matched: found, unmatched } = await matchEvents(document.events, games, table, () =>
    Promise.resolve(),
  );
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
    expect((await matched([['Los Angeles Lakers', 'Boston Celtics', at(80)]], [LAKERS])).found).toHaveLength(
      1,
    );
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
    const sport = (sport_key: string): readonly Told[] => [
      ['Los Angeles Lakers', 'Boston Celtics', { sport_key }],
    ];
    for (const key of ['icehockey_nhl', 'basketball_wnba', 'soccer_usa_mls'])
      expect([key, (await matched(sport(key), [LAKERS])).why]).toEqual([key, ['no game has these teams']]);
    expect((await matched(sport('lacrosse_ncaa'), [LAKERS])).found).toHaveLength(1);
    for (const more of [{ ended: true }, { futures: true }, { parentGameId: 'p' as Game['id'] }])
      expect((await matched(told, [{ ...LAKERS, ...more }])).found).toEqual([]);
  });
});
