// The pages of docs/prices are what `npm run fit:prices` writes, when ../shared/data/odds exists.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

const DATA = join(ROOT, '../shared/data/odds');
const PAGES = join(ROOT, 'docs/prices');
const LIMIT_MS = 600_000;

it.skipIf(!existsSync(DATA))(
  'docs/prices has the pages and pictures that the script writes',
  async () => {
    const out = mkdtempSync(join(tmpdir(), 'prices-'));
    try {
      const script = join(ROOT, 'site/fit-prices/fit-prices.ts');
      await promisify(execFile)(process.execPath, ['--conditions=oddsmaker-source', script, DATA, out]);
      const written = readdirSync(out).sort();
      expect(written.length).toBeGreaterThan(10);
      expect(readdirSync(PAGES)).toEqual(expect.arrayContaining(written));
      for (const name of written)
        expect(readFileSync(join(PAGES, name), 'utf8'), name).toBe(readFileSync(join(out, name), 'utf8'));
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
