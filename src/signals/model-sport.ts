// Which model prices a game: by the sport of the exchange's table, else by the vendor's name of the league.
import type { ModelSport, ParametersOf } from '../pricing/index.ts';
import { MODEL_SPORTS } from '../pricing/index.ts';

/** Deviations of margin and total in a sport without a model of its own, points. By sport or league. */
export type Deviations = Readonly<Record<string, { readonly margin: number; readonly total: number }>>;

export type SportModel = {
  readonly sport: ModelSport;
  /** Parameters that no quote shows. */
  readonly known: Partial<ParametersOf[ModelSport]>;
};

const VENDOR_SPORTS: readonly (readonly [named: RegExp, sport: ModelSport])[] = [
  [/^americanfootball_ncaa/, 'college football'],
  [/^americanfootball/, 'football'],
  [/^basketball/, 'basketball'],
  [/^icehockey/, 'hockey'],
  [/^soccer/, 'soccer'],
  [/^baseball/, 'baseball'],
  [/^tennis/, 'tennis'],
];

/** The sport of a vendor's key, such as `basketball_nba`. Undefined for a sport without a model. */
export const vendorSport = (key: string): ModelSport | undefined =>
  VENDOR_SPORTS.find(([named]) => named.test(key))?.[1];

/** Men's matches of these tournaments are best of five sets. */
const BEST_OF_FIVE = /atp.*(?:aus|french|us_open|wimbledon)/;

/**
 * The model of a game, or why there is none.
 * @param names the sport as the exchange's table names it, its league, and the vendor's key, as far as known
 */
export function sportModelOf(
  names: { readonly sport?: string | undefined; readonly league?: string; readonly vendor?: string },
  deviations: Deviations = {},
): SportModel | string {
  const { sport = '', league = '', vendor = '' } = names;
  const model = sport === '' ? vendorSport(vendor) : MODEL_SPORTS.find((known) => known === sport && known !== 'other');
  const given = [sport, league, vendor].find((name) => Object.hasOwn(deviations, name));
  const set = given === undefined ? undefined : deviations[given];
  const known = set === undefined ? {} : { marginDeviation: set.margin, totalDeviation: set.total };
  if (model === 'tennis') return { sport: model, known: { bestOf: BEST_OF_FIVE.test(vendor) ? 5 : 3 } };
  if (model === 'basketball' || model === 'football' || model === 'college football') return { sport: model, known };
  if (model !== undefined) return { sport: model, known: {} };
  if (set !== undefined) return { sport: 'other', known };
  const name = sport === '' ? vendor : sport;
  return `${name === '' ? 'a sport that is not known' : name} has no model: set signals.odds.deviations for it, or price it by lines`;
}
