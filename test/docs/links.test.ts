// Links and named paths lead to existing files, and pages are short enough to be read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/files/index.ts';
import { ROOT } from '../support/children.ts';
import { DOCS, isGenerated, LINKING, textOf } from './pages.ts';

const LONGEST_PAGE = 160;
const WIDEST_LINE = 100;
/** Lines of two screens. */
const LONGEST_README = 110;
const LINES_OF_A_VERSION = 10;

/** The links of a page to other files of the repository, without those inside code. */
const linksOf = (page: string): readonly string[] =>
  [
    ...textOf(page)
      .replace(/^```[^]*?^```$|`[^`\n]*`/gm, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

/** The anchors of the headings of a page, as Markdown renderers form them. */
const anchorsOf = (page: string): readonly string[] =>
  [
    ...textOf(page)
      .replace(/^```[^]*?^```$/gm, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading = '']) =>
    heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(LINKING)('%s', (page) => {
  it('links to files and headings that exist', () => {
    const broken = linksOf(page).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe.each(['README.md', ...DOCS].filter((page) => !isGenerated(page)))('%s', (page) => {
  const lines = textOf(page).trimEnd().split('\n');

  it(`has at most ${LONGEST_PAGE} lines`, () => expect(lines.length).toBeLessThanOrEqual(LONGEST_PAGE));

  it(`has lines of at most ${WIDEST_LINE} characters, except for tables and addresses`, () => {
    const wide = lines.filter((line) => line.length > WIDEST_LINE && !/^\||https?:/.test(line));
    expect(wide).toEqual([]);
  });
});

describe('the README', () => {
  it(`has at most ${LONGEST_README} lines`, () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_README);
  });
});

describe('the CHANGELOG', () => {
  const [, ...versions] = textOf('CHANGELOG.md').split(/^## /m);

  it('begins with the version of the package', () => {
    expect(versions[0]?.split(/\s/)[0]).toBe(VERSION);
  });

  it.each(versions)(`has at most ${LINES_OF_A_VERSION} lines a version: %.5s`, (version) => {
    const [, ...lines] = version.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeLessThanOrEqual(LINES_OF_A_VERSION);
  });
});

describe('docs/README.md', () => {
  it('links to every page', () => {
    const led = linksOf('docs/README.md').map((link) => normalize(join('docs', link)));
    const others = DOCS.filter((page) => !/^docs\/(?:README\.md|adr\/|reference\/conformance\/)/.test(page));
    expect([...new Set(led.filter((page) => page.endsWith('.md')))].sort()).toEqual([...others].sort());
  });
});

describe.each(['src', 'bin', 'templates', 'examples', 'test'])('%s', (folder) => {
  it('names only documentation pages that exist', () => {
    const missing = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:[jt]s|md|ya?ml|py)$/.test(name))
      .flatMap((name) =>
        [...readFileSync(join(ROOT, folder, name), 'utf8').matchAll(/\bdocs\/[\w/-]+\.(?:md|json|svg)/g)].map(
          ([path]) => ({ name, path }),
        ),
      )
      .filter(({ path }) => !existsSync(join(ROOT, path)));
    expect(missing).toEqual([]);
  });
});
