// `npm run site`: documentation, API reference and generated reference pages as a static site in dist/site.
// It works from disk, where its links are relative and no script runs, and served by `oddsmaker docs`, where
// it has search. An argument names another folder.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vitepress';
import { finishApiPages } from './api.ts';
import { layOutPages, PAGES, ROOT } from './pages.ts';
import { rewritePages } from './static.ts';

const TYPEDOC = [
  ...['--out', join(PAGES, 'api'), '--outputFileStrategy', 'modules', '--entryFileName', 'overview'],
  ...['--hidePageHeader', 'true', '--hideBreadcrumbs', 'true', '--logLevel', 'Warn'],
  // `npm run docs` checks types and links
  ...['--skipErrorChecking', 'true'],
];

const [out = join(ROOT, 'dist/site')] = process.argv.slice(2);
try {
  layOutPages();
  cpSync(join(ROOT, 'site/public'), join(PAGES, 'public'), { recursive: true });
  cpSync(join(ROOT, 'web/public/favicon.svg'), join(PAGES, 'public/favicon.svg'));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typedoc/bin/typedoc'), ...TYPEDOC], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  finishApiPages(join(PAGES, 'api'));
  await build(join(ROOT, 'site'), { outDir: resolve(out) });
  rewritePages(out);
} finally {
  rmSync(PAGES, { recursive: true, force: true });
}
