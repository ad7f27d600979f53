// Runs before each test file of the project `processes`. Its files share their modules, so hooks that a
// module sets when it is loaded would hold for the first file only.
import { afterAll, afterEach, beforeEach } from 'vitest';
import { cleanUp } from './children.ts';

beforeEach(cleanUp.beforeTest);
afterEach(cleanUp.afterTest);
afterAll(cleanUp.afterFile);
