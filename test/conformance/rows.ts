// Reads the exchange's spec into rows, each with a short key: every row of every table, every numbered rule
// and bullet, every message pattern of the error table, every field that a sentence lists, and every
// paragraph except those that only say "not shown". A row keeps only its name, not its text.
import { existsSync, readFileSync } from 'node:fs';

export type Row = { readonly document: string; readonly section: string; readonly name: string };

const FOLDER = new URL('../../../shared/spec/', import.meta.url);
const DOCUMENTS = ['exchange-api.md', 'wire-profile.md'] as const;

/** True when the spec exists beside the project. */
export const specIsHere = (): boolean => DOCUMENTS.every((name) => existsSync(new URL(name, FOLDER)));

export const readSpec = (): readonly Row[] =>
  DOCUMENTS.flatMap((document) => rowsOf(document, readFileSync(new URL(document, FOLDER), 'utf8')));

/** The key by which tests name a row. */
export const keyOf = ({ section, name }: Row): string => `${section} · ${name}`;

const plain = (text: string): string => text.replaceAll('`', '').replaceAll('**', '').trim();

export function rowsOf(document: string, markdown: string): readonly Row[] {
  const rows: Row[] = [];
  for (const { heading, body } of sectionsOf(markdown)) {
    for (const names of namesOf(heading, body)) rows.push({ document, section: heading, name: names });
  }
  return rows;
}

type Section = { readonly heading: string; readonly body: readonly string[] };

/** All sections below the document's own heading. */
function sectionsOf(markdown: string): readonly Section[] {
  const sections: { heading: string; body: string[] }[] = [];
  for (const line of markdown.split('\n')) {
    const heading = /^##+ (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading: plain(heading), body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}

function namesOf(heading: string, body: readonly string[]): readonly string[] {
  const names: string[] = [];
  let owner = '';
  for (const block of blocksOf(body)) {
    const [first = ''] = block;
    if (first.startsWith('|')) names.push(...tableNames(heading, block).map((name) => owner + name));
    else if (/^\d+\. /.test(first)) names.push(...block.map((line) => `rule ${/^(\d+)\. /.exec(line)?.[1] ?? '?'}`));
    else if (first.startsWith('* ')) names.push(...block.map((line) => opening(line.slice(2))));
    else names.push(...paragraphNames(block.join(' ')));
    // the next table lists the fields of this field
    const parentField = /^`(\w+)` fields:$/.exec(first)?.[1];
    owner = parentField === undefined ? '' : `${parentField}.`;
  }
  return names;
}

/** Groups of lines between blank lines. */
function blocksOf(lines: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

/** A paragraph has its first words as name. A paragraph that lists fields has one row per field. */
function paragraphNames(text: string): readonly string[] {
  if (text.startsWith('Payload fields:'))
    return [...text.matchAll(/`([^`]+)`/g)].map(([, field = '']) => field).filter(isField);
  return isIdle(text) ? [] : [opening(text)];
}

/** False for `marketOpen` and `marketClosed`, which are values in that sentence. */
const isField = (name: string): boolean => !name.startsWith('market');

/** True for a paragraph that introduces the next block, or only says what the spec leaves out. */
const isIdle = (text: string): boolean => /:$/.test(text) || /\bnot shown\.$/.test(text);

const opening = (text: string): string => {
  const words = plain(text).split(/\s+/);
  return `“${words.slice(0, 5).join(' ')}${words.length > 5 ? ' …' : ''}”`;
};

function tableNames(heading: string, block: readonly string[]): readonly string[] {
  const rows = block.slice(2).map(cellsOf);
  const firsts = rows.map(([first = '']) => plain(first));
  return rows.flatMap(([, second = '', third = ''], index) => {
    const name = firsts[index] ?? '';
    // a state may have several rows; the trigger distinguishes them
    const again = firsts.indexOf(name) !== firsts.lastIndexOf(name);
    const rowName = again ? `${name}: ${plain(second.replace(/ \(.*$/, ''))}` : name;
    return heading === 'Errors' && /^\d{3}$/.test(name)
      ? [rowName, ...triggersOf(third).map((trigger) => `${name}: ${trigger}`)]
      : [rowName];
  });
}

/** The cells of a table row. A bar inside a code span does not end a cell. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let inCode = false;
  for (const character of line) {
    if (character === '`') inCode = !inCode;
    if (character === '|' && !inCode) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  // the text before the first bar is no cell
  return cells.slice(1);
}

/** The message patterns of one status, or the words that describe one. */
const triggersOf = (cell: string): readonly string[] =>
  cell
    .split(/; | or (?=`|above )/)
    .map((trigger) => plain(trigger.replace(/ \((?:for example|enforced|cancel).*$/, '')));
