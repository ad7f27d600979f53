// Runs anew before every test file of the project `processes`, whose files share their modules: hooks that a module sets when
// it is loaded would be those of the first file only.
import { afterAll, afterEach, beforeEach } from 'vitest';
import { cleanUp } from './children.ts';

beforeEach(cleanUp.beforeTest);
afterEach(cleanUp.afterTest);
afterAll(cleanUp.afterFile);
