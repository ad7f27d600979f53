// `MARKET` of made-stream.ts, packed by bzip2: the example that ships, since no dependency packs bzip2. A
// test checks that the two are equal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/children.ts';

export const MARKET_BZ2: Buffer = readFileSync(join(ROOT, 'examples/betfair-made-up.bz2'));
