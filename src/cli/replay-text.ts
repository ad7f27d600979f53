// The report of `oddsmaker replay --verify`: what changed since the run, whether every command is the same,
// and the first difference with its input, both lists of commands, the differing keys and the steps before
// it.
import { relative, resolve } from 'node:path';
import type { Difference, Replayed, ReplayedStrategy, ReplayedJournal } from '../replay/index.ts';
import type { Command } from '../domain/index.ts';
import type { JournalStep } from '../journal/index.ts';
import type { JsonDifference } from '../files/index.ts';
import { jsonDifferences } from '../files/index.ts';
import { commandText, arrivalText, timeOf, tornOf } from '../journal/index.ts';
import { printable } from '../domain/index.ts';

export type ReplayReport = Omit<ReplayedJournal, 'difference'> & {
  readonly file: string;
  readonly replayed: Replayed;
  readonly difference: (Difference & { readonly chain: readonly JournalStep[] }) | undefined;
};

/** Differing keys that are shown, and characters shown of each value. */
const MAX_KEYS = 20;
const VALUE_WIDTH = 44;
/** Characters kept of long texts, and items kept of long lists, of an input in `--json`. */
const MAX_TEXT = 300;
const MAX_ITEMS = 5;

export function replayText(report: ReplayReport): string {
  const { file, replayed, difference, records, commands } = report;
  const rows = [
    fact('journal', `${file}${writtenText(report)}`),
    fact('version', versionText(replayed)),
    ...configRows(replayed),
    ...replayed.strategies.map((strategy) => fact('strategy', strategyText(strategy))),
    ...replayed.hidden.map((path) => fact('hidden', hiddenText(path, replayed))),
    fact(
      'compared',
      `${count(records, 'record')} with ${count(commands, 'command')}, all the same${difference === undefined ? '' : ' up to there'}`,
    ),
    ...(difference === undefined ? [] : ['', ...differenceRows(difference), '', ...chainRows(difference.chain)]),
    '',
    verdictText(report),
  ];
  return `${rows.map(printable).join('\n')}\n`;
}

const fact = (name: string, text: string): string => `${name.padEnd(10)}${text}`;

function writtenText({ first, last }: ReplayReport): string {
  if (first === undefined || last === undefined) return ', no records';
  const run = first.in.type === 'boot' ? ` of run ${first.in.run}` : '';
  return `${run}, ${timeOf(first)} to ${timeOf(last)}`;
}

function versionText({ version: { recorded, now } }: Replayed): string {
  return recorded === now ? `${now}, as then` : `CHANGED: the run was by ${recorded}, this is ${now}`;
}

function configRows({ config, keys }: Replayed): readonly string[] {
  if (config === undefined) return [fact('config', 'as in the journal')];
  if (keys.length === 0) return [fact('config', `${config}, every key as in the journal`)];
  return [
    fact('config', `${config}: CHANGED, ${count(keys.length, 'key')}`),
    ...keys.map(({ path, before, after }) => fact('', `${path}: ${shown(before)} then, ${shown(after)} now`)),
  ];
}

const hiddenText = (path: string, { config }: Replayed): string =>
  config === undefined
    ? `${path}: the journal hides it, and it is not known here: name the configuration file with --config, or set the variable that the journal names`
    : `${path}: the journal hides it, so whether it is as then is not known`;

function strategyText(strategy: ReplayedStrategy): string {
  const { id, use, file, ofJournal, sha256, recorded, otherImports } = strategy;
  const where =
    ofJournal !== undefined
      ? `${use} (from the source in the journal: ${ofJournal})`
      : file === resolve(use)
        ? use
        : `${use} (${relative(process.cwd(), file)})`;
  if (recorded === undefined) return `${id}: ${where}: CHANGED, the run had no strategy of this name`;
  if (recorded === sha256 && otherImports.length > 0)
    return `${id}: ${where}: CHANGED, what it imports is not as then: ${otherImports.join(', ')}`;
  return recorded === sha256
    ? `${id}: ${where}, as then (sha256 ${short(sha256)})`
    : `${id}: ${where}: CHANGED, sha256 was ${short(recorded)}, is ${short(sha256)}`;
}

const short = (hash: string): string => `${hash.slice(0, 16)}…`;

function differenceRows(difference: Difference): readonly string[] {
  const { seq, input, recorded, replayed, threw } = difference;
  const head = [`The first difference is at record #${seq}, ${timeOf(input)}`, `  ${arrivalText(input.in)}`];
  if (threw !== undefined)
    return [...head, '', 'recorded', ...commandRows(recorded, undefined), 'replayed', ...indented(threw)];
  if (difference.events !== undefined) return [...head, '', ...eventRows(difference.events)];
  const index = indexOfDifference(difference);
  return [
    ...head,
    '',
    'recorded',
    ...commandRows(recorded, index),
    'replayed',
    ...commandRows(replayed, index),
    '',
    ...keyRows(recorded[index], replayed[index], index),
  ];
}

/** The first differing event of a step whose commands are the same. */
function eventRows({ recorded, replayed }: NonNullable<Difference['events']>): readonly string[] {
  const index = indexOfDifference({ recorded, replayed });
  return [
    'the commands are the same, the events are not',
    '',
    ...keyRows(recorded[index], replayed[index], index, 'Event'),
  ];
}

/** The index of the first item that differs. */
export function indexOfDifference({
  recorded,
  replayed,
}: Readonly<Record<'recorded' | 'replayed', readonly unknown[]>>): number {
  const most = Math.max(recorded.length, replayed.length);
  for (let index = 0; index < most; index++)
    if (JSON.stringify(recorded[index]) !== JSON.stringify(replayed[index])) return index;
  return most;
}

function commandRows(commands: readonly Command[], differs: number | undefined): readonly string[] {
  if (commands.length === 0) return ['    no command'];
  return commands.map((command, index) => `  ${index === differs ? '≠' : ' '} ${index + 1}  ${commandText(command)}`);
}

function keyRows<T extends { readonly type: string }>(
  recorded: T | undefined,
  replayed: T | undefined,
  index: number,
  noun = 'Command',
): readonly string[] {
  if (recorded === undefined || replayed === undefined || recorded.type !== replayed.type)
    return [
      `${noun} ${index + 1} is ${recorded?.type ?? 'nothing'} in the journal and ${replayed?.type ?? 'nothing'} in the replay`,
    ];
  const keys = jsonDifferences(recorded, replayed);
  const width = Math.max(...keys.map(({ path }) => path.length));
  const row = (path: string, before: string, after: string): string =>
    `  ${path.padEnd(width)}  ${before.padEnd(VALUE_WIDTH)}  ${after}`.trimEnd();
  return [
    `${noun} ${index + 1}, ${recorded.type}, differs in ${count(keys.length, 'key')}`,
    row('', 'recorded', 'replayed'),
    ...keys.slice(0, MAX_KEYS).map(({ path, before, after }) => row(path, shown(before), shown(after))),
    ...(keys.length > MAX_KEYS ? [`  and ${keys.length - MAX_KEYS} more`] : []),
  ];
}

function chainRows(chain: readonly JournalStep[]): readonly string[] {
  if (chain.length === 0) return ['Nothing before it is about the same markets, orders or requests'];
  return [
    'Steps before it',
    ...chain.flatMap(({ input, commands }) => [
      `  ${`#${input.seq}`.padEnd(8)} ${timeOf(input).slice(11, 23)}  ${arrivalText(input.in)}`,
      ...commands.map((command) => `                         → ${commandText(command)}`),
    ]),
  ];
}

function verdictText({ difference, replayed, tear, invalid, last }: ReplayReport): string {
  if (invalid !== undefined)
    return 'The journal is not whole, or was changed after it was written: what it holds proves nothing';
  const upTo = tear === undefined ? '' : ` up to record ${tear.seq}, where the journal breaks off`;
  if (difference === undefined)
    return last === undefined
      ? 'There is nothing to compare'
      : `Every command is the same${upTo}${replayed.changed ? ', in spite of what is CHANGED' : ''}`;
  if (replayed.changed) return `The commands differ${upTo}; what is CHANGED may be why`;
  return replayed.hidden.length > 0
    ? `The commands differ${upTo}; what is hidden may be why`
    : `The commands differ${upTo}, although nothing was changed: a bug, or a strategy that reads a clock, chance or state of its own`;
}

/** The object that `--json` prints. */
export function jsonOfReplay(report: ReplayReport): unknown {
  const { file, replayed, first, last, tear, invalid, records, commands, difference } = report;
  const { version, config, keys, strategies, hidden, changed } = replayed;
  return {
    schema: 1,
    ok: difference === undefined && tear === undefined && invalid === undefined,
    journal: {
      file,
      records: last?.seq ?? 0,
      torn: tornOf(tear),
      invalid: invalid ?? null,
      run: first?.in.type === 'boot' ? first.in.run : null,
      from: first === undefined ? null : timeOf(first),
      to: last === undefined ? null : timeOf(last),
    },
    version: { recorded: version.recorded, now: version.now },
    config: { file: config ?? null, keys: keys.map(keyOf) },
    strategies: strategies.map(({ id, use, file: found, sha256, recorded }) => ({
      id,
      use,
      file: found,
      sha256: { recorded: recorded ?? null, now: sha256 },
    })),
    hidden,
    changed,
    compared: { records, commands },
    difference: difference === undefined ? null : jsonOfDifference(difference),
  };
}

function jsonOfDifference(difference: NonNullable<ReplayReport['difference']>): unknown {
  const { seq, input, recorded, replayed, threw, chain, events } = difference;
  const command = indexOfDifference(difference);
  return {
    seq,
    at: timeOf(input),
    mono: input.mono,
    input: cut(input.in),
    command,
    recorded,
    replayed,
    threw: threw ?? null,
    keys: jsonDifferences(recorded[command], replayed[command]).map(keyOf),
    ...(events === undefined ? {} : { events }),
    chain: chain.map((step) => ({
      seq: step.input.seq,
      at: timeOf(step.input),
      input: cut(step.input.in),
      commands: step.commands.map(commandText),
    })),
  };
}

const keyOf = ({ path, before, after }: JsonDifference): unknown => ({
  key: path,
  recorded: before ?? null,
  replayed: after ?? null,
});

/** A copy of a value with long texts and lists cut. */
function cut(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`;
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item)]));
  const items: readonly unknown[] = value;
  const left = items.length - MAX_ITEMS;
  return [...items.slice(0, MAX_ITEMS).map(cut), ...(left > 0 ? [`… (${left} more)`] : [])];
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= VALUE_WIDTH ? text : `${text.slice(0, VALUE_WIDTH - 1)}…`;
}

const count = (n: number, noun: string): string => `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
const indented = (text: string): readonly string[] => text.split('\n').map((line) => `    ${line}`);
