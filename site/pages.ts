// The pages of the site, laid out in one folder: those under docs as they are, the pages and files of the
// package that they link to, and the API reference. Titles come from the first heading of a page, groups and
// order from docs/README.md.
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where the pages are laid out before VitePress reads them: a folder of this process, removed at its end. */
export const PAGES = join(ROOT, `dist/site-pages.${process.pid}`);

export type SidebarItem = { readonly text: string; readonly link: string };
export type SidebarGroup = { readonly text: string; readonly items: readonly SidebarItem[] };

const HOME = 'docs/README.md';
const DECISIONS = 'docs/adr';
const LISTED = [
  { folder: DECISIONS, text: 'Decisions' },
  { folder: 'docs/reference/conformance', text: 'Conformance' },
];
const LANGUAGES: Readonly<Record<string, string>> = { '.ts': 'ts', '.py': 'python', '.yaml': 'yaml', '.json': 'json' };
/** Code, where nothing is a link, or a link. */
const CODE_OR_LINK = /^( *)(```+)[^]*?^\1\2`*$|`[^`\n]*`|\]\(([^)\s]+)\)/gm;

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function write(page: string, text: string): void {
  const file = join(PAGES, page);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text of the first heading, without marks. */
export const titleOf = (markdown: string): string =>
  (/^# (.+)$/m.exec(markdown)?.[1] ?? '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*\\]|\(a generated list\)/g, '')
    .trim();

/** The anchor of a heading, as forges make it: links between pages count on it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The page of the site for a path of the package. Undefined for a file that the site has as it is. */
export function pageOf(path: string): string | undefined {
  if (path === HOME) return 'index.md';
  if (path === DECISIONS) return 'adr/decisions.md';
  const isInDocs = path.startsWith('docs/');
  if (path.endsWith('.md')) return isInDocs ? path.slice('docs/'.length) : `package/${path}`;
  return isInDocs ? undefined : `package/${path}.md`;
}

/**
 * Links of a page lead to pages of the site.
 * @param found called with the path of each link that stays in the package
 */
export function withSiteLinks(path: string, markdown: string, found: (path: string) => void): string {
  const page = pageOf(path) ?? path;
  return markdown.replace(CODE_OR_LINK, (text: string, _indent, _fence, target: string | undefined) => {
    if (target === undefined || /^(?:[a-z]+:|#|\/)/.test(target)) return text;
    const [link = '', anchor] = target.split('#');
    const linked = posix.join(posix.dirname(path), link).replace(/\/$/, '');
    if (!existsSync(join(ROOT, linked))) throw new Error(`${path} links to ${link}, which is missing`);
    found(linked);
    const to = posix.relative(posix.dirname(page), pageOf(linked) ?? linked.replace(/^docs\//, ''));
    return `](${to.startsWith('.') ? to : `./${to}`}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

/** Lays out all pages but the API reference, and the files that are no pages. */
export function layOutPages(): void {
  const left = globSync('docs/**/*.md', { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('docs/api/'));
  const seen = new Set(left);
  const add = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    left.push(path);
  };
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const page = pageOf(path);
    if (page === undefined) copyFile(path);
    else if (statSync(join(ROOT, path)).isDirectory()) write(page, folderPage(path));
    else if (path.endsWith('.md')) write(page, withSiteLinks(path, read(path), add));
    else write(page, `# \`${path}\`\n\n\`\`\`\`${LANGUAGES[extname(path)] ?? 'text'}\n${read(path)}\n\`\`\`\`\n`);
  }
}

/** Images belong to pages, which name them by their content; other files keep their path. */
function copyFile(path: string): void {
  const isImage = ['.svg', '.png'].includes(extname(path));
  cpSync(join(ROOT, path), join(PAGES, isImage ? '' : 'public', path.slice('docs/'.length)));
}

/** A page that lists a folder: its decisions as links, files of another one by name. */
function folderPage(folder: string): string {
  const isDecisions = folder === DECISIONS;
  const lines = isDecisions
    ? itemsIn(folder).map(({ text, link }) => `- [${text}](./${basename(link)})`)
    : readdirSync(join(ROOT, folder))
        .sort()
        .map((name) => `- \`${name}\``);
  return `# ${isDecisions ? 'Decisions that bind' : `\`${folder}\``}\n\n${lines.join('\n')}\n`;
}

const linkTo = (page: string): string => `/${page.replace(/\.md$/, '.html')}`;

function itemOf(path: string): SidebarItem {
  return { text: titleOf(read(path)), link: linkTo(pageOf(path) ?? path) };
}

const itemsIn = (folder: string): readonly SidebarItem[] =>
  globSync(`${folder}/*.md`, { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map(itemOf);

/**
 * Groups of docs/README.md, each page where it is linked first; then decisions, conformance and the API
 * reference.
 */
export function sidebar(): readonly SidebarGroup[] {
  const listed = new Set<string>([HOME]);
  const [, ...sections] = read(HOME).split(/^## /m);
  const groups = sections.map((section) => {
    const paths: string[] = [];
    withSiteLinks(HOME, section, (path) => {
      if (!path.endsWith('.md') || listed.has(path)) return;
      listed.add(path);
      paths.push(path);
    });
    return { text: section.slice(0, section.indexOf('\n')).trim(), items: paths.map(itemOf) };
  });
  const api = globSync('api/**/*.md', { cwd: PAGES })
    .map((page) => page.replaceAll('\\', '/'))
    .sort()
    .map((page) => ({ text: titleOf(readFileSync(join(PAGES, page), 'utf8')), link: linkTo(page) }));
  return [
    ...groups,
    ...LISTED.map(({ folder, text }) => ({ text, items: itemsIn(folder) })),
    { text: 'API reference', items: api },
  ].filter(({ items }) => items.length > 0);
}
