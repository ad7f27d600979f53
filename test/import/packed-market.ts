// `MARKET` of made-stream.ts as bzip2 packs it: the example that ships, since nothing here packs bzip2; a test holds the two equal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/children.ts';

export const MARKET_BZ2: Buffer = readFileSync(join(ROOT, 'examples/betfair-made-up.bz2'));
