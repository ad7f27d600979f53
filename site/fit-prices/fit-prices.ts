// `npm run fit:prices -- [DATA_DIR]`: fits the constants of the price models to closing odds and results, and writes how
// well they fit to docs/prices: pages and pictures. The same data give the same bytes. Rows of the data stay out.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseball } from './baseball.ts';
import { basketball } from './basketball.ts';
import { DataFolder } from './data.ts';
import { football } from './football.ts';
import { hockey } from './hockey.ts';
import { overview } from './overview.ts';
import { soccer } from './soccer.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USAGE = 'usage: npm run fit:prices -- [DATA_DIR [OUT_DIR]]';

const [folder = join(ROOT, '../shared/data/odds'), out = join(ROOT, 'docs/prices'), ...more] = process.argv.slice(2);
const data = new DataFolder(resolve(folder));
if (more.length > 0 || folder.startsWith('-')) refuse(USAGE);
else if (data.missing.length > 0)
  refuse(`${resolve(folder)} lacks ${data.missing.join(', ')}: name the folder that has the odds\n${USAGE}`);
else writePages(data, resolve(out));

function refuse(message: string): void {
  console.error(message);
  process.exitCode = 2;
}

function writePages(from: DataFolder, to: string): void {
  const sports = [football, basketball, baseball, hockey, soccer].map((fit) => fit(from));
  const { markdown, picture } = overview(sports);
  const files = [
    { name: 'how-well.md', text: `${markdown}\n` },
    { name: picture.name, text: picture.svg },
    ...sports.flatMap((sport) => [
      { name: sport.file, text: `${sport.markdown}\n` },
      ...sport.pictures.map(({ name, svg }) => ({ name, text: svg })),
    ]),
  ];
  mkdirSync(to, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(to, name), text);
  console.log(`${files.length} files in ${to}`);
}
