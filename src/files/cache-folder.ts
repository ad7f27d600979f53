import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what can be made anew is kept for the next time: the user's own (XDG base directories). */
export const cacheFolder = (): string => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'oddsmaker');
