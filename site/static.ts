// Built pages become readable from disk and under a strict policy: links are relative, and no script is
// inline.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Rewrites every page of a built site. */
export function rewritePages(site: string): void {
  for (const name of globSync('**/*.html', { cwd: site })) {
    const page = name.replaceAll('\\', '/');
    const file = join(site, page);
    const html = withoutInlineScripts(readFileSync(file, 'utf8'), (path, script) => {
      mkdirSync(dirname(join(site, path)), { recursive: true });
      writeFileSync(join(site, path), script);
    });
    writeFileSync(file, withRelativeLinks(page, html));
  }
}

/**
 * @param save called with the path from the root of the site, and the text, of each script that was inline
 */
export function withoutInlineScripts(html: string, save: (path: string, script: string) => void): string {
  return html.replace(/<script((?:(?! src=)[^>])*)>([^]+?)<\/script>/g, (_, attributes: string, script: string) => {
    const hash = createHash('sha256').update(script).digest('hex').slice(0, 8);
    const path = `/assets/inline.${hash}.js`;
    save(path, script);
    return `<script${attributes} src="${path}"></script>`;
  });
}

/** Links from the root become relative to the page; a folder becomes its index page. */
export function withRelativeLinks(page: string, html: string): string {
  const from = posix.dirname(`/${page}`);
  return html.replace(/ (href|src)="(\/[^"#?]*|[./]+\/)(?=["#?])/g, (_, attribute: string, path: string) => {
    const whole = posix.join(path.startsWith('/') ? '' : from, path.endsWith('/') ? `${path}index.html` : path);
    const to = posix.relative(from, whole);
    return ` ${attribute}="${to.startsWith('.') ? to : `./${to}`}`;
  });
}
