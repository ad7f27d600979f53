// The teams of the synthetic games, paired as in a league. The games of one round use every team once, and a
// team's next game is about a round later, so no team has two games at a time.
import type { GameId, Participant, ParticipantId } from '../domain/index.ts';
import { createIds } from '../venue/index.ts';
import { createRandom } from '../domain/index.ts';

const TEAMS: readonly (readonly [name: string, short: string])[] = [
  ['Harbor City Herons', 'HCH'],
  ['Redwood Rangers', 'RDW'],
  ['Granite Bay Comets', 'GBC'],
  ['Silver Lake Otters', 'SLO'],
  ['Northgate Knights', 'NGK'],
  ['Mesa Verde Coyotes', 'MVC'],
  ['Lakeshore Lanterns', 'LKL'],
  ['Iron Valley Hammers', 'IVH'],
  ['Coral Coast Rays', 'CCR'],
  ['Prairie Falls Bison', 'PFB'],
  ['Stonebridge Owls', 'STB'],
  ['Bluewater Barons', 'BWB'],
  ['Cedar Point Falcons', 'CPF'],
  ['Twin Rivers Pilots', 'TRP'],
  ['Ashford Arrows', 'ASH'],
  ['Golden Plains Mustangs', 'GPM'],
  ['Kingsport Crowns', 'KPC'],
  ['Windmere Wolves', 'WMW'],
  ['Summit Springs Lynx', 'SSL'],
  ['Eastbrook Engineers', 'EBE'],
  ['Palmetto Pelicans', 'PAL'],
  ['Frostburg Foxes', 'FRB'],
  ['Copper Canyon Condors', 'COC'],
  ['Old Mill Millers', 'OMM'],
];
const PLAYERS = ['Alder', 'Birch', 'Calloway', 'Dunmore', 'Ellery', 'Fenn', 'Garrick', 'Hollis', 'Ives', 'Juno'];

type Team = readonly [name: string, short: string];
export type GameIdentity = {
  readonly id: GameId;
  readonly home: Participant;
  readonly away: Participant;
};

/**
 * The ids and teams of the game with this number, the same for the same seed. @param part the kind of side
 * game
 */
export function identityOf(seed: number, index: number, part = 'game'): GameIdentity {
  const ids = createIds(seed, `${part} ${index}`);
  const id = ids() as GameId;
  const participantOf = ([name, shortName]: Team): Participant => ({ id: ids() as ParticipantId, name, shortName });
  const [away, home] = pairOf(seed, index);
  return { id, home: participantOf(home), away: participantOf(away) };
}

export function playerOf(seed: number, index: number): string {
  const random = createRandom(seed, `player ${index}`);
  return PLAYERS[Math.floor(random.next() * PLAYERS.length)] ?? 'Alder';
}

/** Pairs by round robin: one team keeps its place, the others advance by one each round. */
function pairOf(seed: number, index: number): readonly [away: Team, home: Team] {
  const random = createRandom(seed, 'league');
  const league = TEAMS.map((team) => ({ team, at: random.next() })).sort((a, b) => a.at - b.at);
  const perRound = league.length / 2;
  const round = Math.floor(index / perRound);
  const pair = index % perRound;
  const places = league.length - 1;
  const teamAt = (place: number): Team => {
    const moved = place === 0 ? 0 : 1 + ((place - 1 + round) % places);
    return league[moved]?.team ?? ['Visitors', 'VIS'];
  };
  const teams = [teamAt(pair), teamAt(places - pair)] as const;
  // after a full cycle, pairs meet again with home and away swapped
  const swapped = (round + pair + Math.floor(round / places)) % 2 === 1;
  return swapped ? [teams[1], teams[0]] : teams;
}
