// A table of teams (signals.odds.teams): what an odds feed calls them, and what the exchange does.
import { z } from 'zod';
import { loadYaml } from './load.ts';

const teamsSchema = z.record(z.string().min(1), z.string('expected the name of a team at the exchange').min(1));

/** YAML, or JSON, which is YAML too. @throws OddsmakerError CONFIG_INVALID */
export const loadTeams = (file: string): Readonly<Record<string, string>> => loadYaml(file, {}, teamsSchema);
