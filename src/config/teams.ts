// Reads a table of team names (signals.odds.teams): from the odds feed's name to the exchange's.
import { z } from 'zod';
import { loadYaml } from './load.ts';

const teamsSchema = z.record(z.string().min(1), z.string('expected the name of a team at the exchange').min(1));

/** Loads a table in YAML or JSON. @throws OddsmakerError CONFIG_INVALID */
export const loadTeams = (file: string): Readonly<Record<string, string>> => loadYaml(file, {}, teamsSchema);
