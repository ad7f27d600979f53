import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the user's cache folder for files that can be rebuilt (XDG base directories). */
export const cacheFolder = (): string => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'oddsmaker');
