// The API reference, as typedoc wrote it, becomes pages of the site: modules get the names that they are
// imported by, and links lead to the headings of what they name (the Markdown plugin counts equal headings in
// another way than VitePress).
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { anchorOf } from './pages.ts';

/** By the names that typedoc gives them. */
const MODULES: Readonly<Record<string, string>> = {
  index: 'oddsmaker',
  strategy: 'oddsmaker/strategy',
  'strategy/testkit': 'oddsmaker/testkit',
  'strategy/indicators': 'oddsmaker/indicators',
  pricing: 'oddsmaker/pricing',
  oddsmaker: 'Modules of the package',
};
/** The heading of one export of a module. */
const EXPORT_LEVEL = 3;

/** Rewrites the pages in a folder, where typedoc has written them. */
export function finishApiPages(folder: string): void {
  const names = globSync('**/*.md', { cwd: folder }).map((name) => name.replaceAll('\\', '/'));
  const pages = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const anchors = new Map([...pages].map(([name, text]) => [name, exportAnchors(text)]));
  for (const [name, text] of pages) {
    rmSync(join(folder, name));
    const linked = text.replace(/\[`?(\w+)`?\]\(([^)#]*)#[^)]*\)/g, (link: string, symbol: string, path: string) => {
      const target = path === '' ? name : posix.join(posix.dirname(name), path);
      const anchor = anchors.get(target)?.get(symbol);
      return anchor === undefined ? link : `[\`${symbol}\`](${path}#${anchor})`;
    });
    const named = linked
      .replace(/^(# |- \[)([\w/]+)(?=$|\])/gm, (_, mark: string, module: string) => mark + (MODULES[module] ?? module))
      // a page called index would be found under its folder alone
      .replace(/\]\(((?:\.\.\/)*)index\.md/g, ']($1package.md')
      .replace(/^\*\*\*\n\n/gm, '');
    writeFileSync(join(folder, name === 'index.md' ? 'package.md' : name), named);
  }
}

/** The anchor of each export of a module, by its name. */
function exportAnchors(markdown: string): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const anchors = new Map<string, string>();
  for (const [, marks = '', heading = ''] of markdown.matchAll(/^(#+) (.+)$/gm)) {
    const plain = anchorOf(heading);
    let anchor = plain;
    for (let count = 1; taken.has(anchor); count += 1) anchor = `${plain}-${count}`;
    taken.add(anchor);
    if (marks.length === EXPORT_LEVEL) anchors.set(/^\w+/.exec(heading)?.[0] ?? '', anchor);
  }
  return anchors;
}
