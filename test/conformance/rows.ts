// Reads the exchange's spec into rows, each with a short key: every row of every table, every numbered rule and bullet,
// every message pattern of the error table, every field a sentence lists, and every paragraph that says more than "not
// shown". What a row says is not kept, only its name.
import { existsSync, readFileSync } from 'node:fs';

export type Row = { readonly document: string; readonly section: string; readonly name: string };

const FOLDER = new URL('../../../shared/spec/', import.meta.url);
const DOCUMENTS = ['exchange-api.md', 'wire-profile.md'] as const;

/** True when the spec lies beside the project. */
export const specIsHere = (): boolean => DOCUMENTS.every((name) => existsSync(new URL(name, FOLDER)));

export const readSpec = (): readonly Row[] =>
  DOCUMENTS.flatMap((document) => rowsOf(document, readFileSync(new URL(document, FOLDER), 'utf8')));

/** What tests call a row by. */
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

/** Everything below the document's own heading. */
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
    // a table of the fields of one field
    const parentField = /^`(\w+)` fields:$/.exec(first)?.[1];
    owner = parentField === undefined ? '' : `${parentField}.`;
  }
  return names;
}

/** Runs of lines between blank ones. */
function blocksOf(lines: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

/** A paragraph is called by its first words; one that lists fields has a row for each. */
function paragraphNames(text: string): readonly string[] {
  if (text.startsWith('Payload fields:'))
    return [...text.matchAll(/`([^`]+)`/g)].map(([, field = '']) => field).filter(isField);
  return isIdle(text) ? [] : [opening(text)];
}

/** `marketOpen` and `marketClosed` are values in that sentence. */
const isField = (name: string): boolean => !name.startsWith('market');

/** Introduces what follows, or only says what the spec leaves out. */
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
    // states come several times; what sets them apart is the trigger
    const again = firsts.indexOf(name) !== firsts.lastIndexOf(name);
    const rowName = again ? `${name}: ${plain(second.replace(/ \(.*$/, ''))}` : name;
    return heading === 'Errors' && /^\d{3}$/.test(name)
      ? [rowName, ...triggersOf(third).map((trigger) => `${name}: ${trigger}`)]
      : [rowName];
  });
}

/** A bar inside a code span parts nothing. */
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
  // what stands before the first bar is no cell
  return cells.slice(1);
}

/** The message patterns of one status, or the few words that stand for one. */
const triggersOf = (cell: string): readonly string[] =>
  cell
    .split(/; | or (?=`|above )/)
    .map((trigger) => plain(trigger.replace(/ \((?:for example|enforced|cancel).*$/, '')));
