// The site of the documentation, from the pages that ../build.ts lays out.
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, PAGES, ROOT, sidebar } from '../pages.ts';

export default defineConfig({
  title: 'oddsmaker',
  description: 'A market-making bot framework for a sports-betting exchange',
  lang: 'en',
  srcDir: PAGES,
  cacheDir: join(ROOT, 'node_modules/.cache/site'),
  metaChunk: true,
  head: [
    ['script', { src: '/served.js' }],
    ['link', { rel: 'icon', href: '/favicon.svg' }],
  ],
  // pages are plain Markdown: angle brackets and braces are text
  markdown: {
    html: false,
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    config: ({ renderer, utils }) => {
      renderer.rules.text = (tokens, index) =>
        utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('{{', '&#123;&#123;');
    },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar().map(({ text, items }) => ({ text, items: [...items] })),
    outline: { level: [2, 3] },
    docFooter: { prev: false, next: false },
  },
});
