// `oddsmaker gate`: whether the runs of a window met the thresholds that were fixed before it began.
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Gate, GateMark } from '../config/index.ts';
import { loadGate } from '../config/index.ts';
import { accountKey, EXIT, OddsmakerError, printable } from '../domain/index.ts';
import { partsOf, headerOf, journalsIn, tearText } from '../journal/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import type { Demand, Judged, Verdict } from '../report/index.ts';
import { figureAt, judged, verdictOf } from '../report/index.ts';
import { aligned, shownPath } from '../terminal/index.ts';
import { demandPaths } from './gate-paths.ts';
import { recordedConfig } from '../setup/index.ts';
import { readEvents, RunFigures } from '../run/index.ts';

const HELP = `
A gate fixes, before the first game, the thresholds that the runs must meet. Its window begins with \`run --gate
gate.yaml\`: the hash of the file goes into the header of every journal. At the end \`gate gate.yaml data/journal\`
computes the verdict from them:

  PASS  every threshold under \`pass\` holds, and at least \`games\` settled games had fills
  FAIL  a threshold does not hold, or there are too few games yet
  KILL  a threshold under \`kill\` holds, whatever else holds. It is only a verdict and stops no bot
  void  a figure that the gate names is not known, the file was changed since, a run of the window was without the gate, or
        a journal was changed. A journal that breaks off, as after a kill, counts up to there

  name: two-sided-nba
  games: 30
  pass: { "identity.fills": ">= 100", "markouts.60s": ">= 0", "run.quotedShare": ">= 0.5" }
  kill: { "identity.pnl": "<= -200", "run.unknown.atExit": "> 0" }

Paths are those of the scenario of \`report --json\` (identity, clv, edge, markouts), of one phase phases.prematch.<path> or
phases.inplay.<path>, and with \`run.\` those of \`run --json\`, summed over
the runs; \`run.uptime\` is the share of the time from the first to the last that runs cover. The error for a wrong
path lists all paths. Any version can judge the journals of any other; only those of format 1 (before 0.3) are replayed,
and need the version that traded. A folder stands for its journals with a gate of this name; runs of the account between
them without a gate make the verdict void.

--json prints {schema: 1, gate: {name, sha256}, verdict, games, pass: [{path, operator, than, value, holds}], kill, figures,
journals, void: [reasons]}.

Exit:  0 PASS; 1 FAIL; 2 a wrong command line; 3 KILL; 65 void, or no journals; 78 a bad gate file.

Examples:
  oddsmaker run config/paper.yaml --gate gate.yaml
  oddsmaker gate gate.yaml data/journal
`;

const KILL = 3;
const EXITS: Readonly<Record<Verdict, number>> = { PASS: EXIT.done, FAIL: EXIT.failed, KILL };

export function registerGate(command: Command, finish: (code: number) => void): void {
  command
    .description('Whether runs met the thresholds that were set before they began.')
    .argument('<gate.yaml>', 'the file that the runs were started with')
    .argument('<journals...>', 'files of runs, or folders of them')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, journals: readonly string[], flags: { readonly json?: true }) => {
      finish(await gateOf(file, journals, flags.json === true));
    });
}

type GatedRun = { readonly journal: string; readonly header: JournalHeader };

async function gateOf(file: string, named: readonly string[], json: boolean): Promise<number> {
  const { gate, mark } = loadGate(file);
  demandPaths(file, gate);
  const { runs, problems } = await runsOf(named, mark);
  if (runs.length === 0 && problems.length === 0)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `no journal of ${named.join(', ')} has the gate ${gate.name}: a window begins with run --gate ${file}`,
    );
  const figures = new RunFigures();
  for (const run of problems.length > 0 ? [] : runs) problems.push(...(await problemsOf(run, figures)));
  const { games } = figures;
  const all = { ...figures.scenario, run: figures.run };
  const judge = (thresholds: Gate['pass']): readonly Judged[] =>
    Object.entries(thresholds).map(([path, threshold]) => {
      const defaultValue = path.startsWith('run.http.') ? 0 : null;
      return judged({ path, ...threshold }, figureAt(all, path) ?? defaultValue);
    });
  const enoughGames: Demand = { path: 'games', operator: '>=', than: gate.games };
  const [pass, kill] = [[judged(enoughGames, games), ...judge(gate.pass)], judge(gate.kill)];
  const isFair = problems.length === 0;
  const verdict = isFair ? verdictOf(pass, kill) : 'void';
  if (isFair && verdict === 'void')
    for (const { path, holds } of [...pass, ...kill])
      if (holds === null) problems.push(`${path} is not known: ${unknownText(all, path)}`);
  const journals = runs.map(({ journal }) => journal);
  process.stdout.write(
    json
      ? `${JSON.stringify({ schema: 1, gate: mark, verdict, games, pass, kill, figures: all, journals, void: problems })}\n`
      : textOf(gate, verdict, isFair ? { pass, kill } : undefined, journals.length, problems),
  );
  return verdict === 'void' ? EXIT.badData : EXITS[verdict];
}

/** The runs named on the command line, each once, in order of time; and what makes the verdict void. */
async function runsOf(
  named: readonly string[],
  { name, sha256 }: GateMark,
): Promise<{ readonly runs: readonly GatedRun[]; readonly problems: string[] }> {
  const runs = new Map<string, GatedRun>();
  const problems = new Set<string>();
  const add = (run: GatedRun): void => {
    runs.set(resolve(run.journal), run);
    if (run.header.gate?.sha256 !== sha256) problems.add(otherGate(run.journal, run.header, name));
  };
  for (const path of named)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
      const { of: gated, without } = await runsIn(path, name);
      for (const run of gated) add(run);
      for (const problem of without) problems.add(problem);
    } else {
      const journal = partsOf(path)[0]?.file ?? path;
      add({ journal, header: await headerOf(journal) });
    }
  const inTime = [...runs.values()].sort((a, b) => (basename(a.journal) < basename(b.journal) ? -1 : 1));
  return { runs: inTime, problems: [...problems] };
}

/**
 * The runs of the gate in a folder, and a problem for each run of the same account between them that was
 * without it.
 */
async function runsIn(
  folder: string,
  name: string,
): Promise<{ readonly of: readonly GatedRun[]; readonly without: readonly string[] }> {
  type Found = { readonly journal: string; readonly header: JournalHeader | undefined };
  const all: Found[] = [];
  for (const journal of journalsIn(folder))
    all.push({ journal, header: await headerOf(journal).catch(() => undefined) });
  const isGated = ({ header }: Found): boolean => header?.gate?.name === name;
  const gated = all.filter((found): found is GatedRun => isGated(found));
  const accounts = new Set(gated.map(({ header }) => accountText(header)));
  const between = all.slice(all.findIndex(isGated), all.findLastIndex(isGated) + 1);
  const without = between.flatMap((found) => {
    if (isGated(found)) return [];
    const journal = shownPath(found.journal);
    if (found.header === undefined) return [`${journal}: a journal in the window cannot be read`];
    return accounts.has(accountText(found.header))
      ? [`${journal}: a run of the account in the window was without the gate`]
      : [];
  });
  return { of: gated, without };
}

const accountText = ({ config }: JournalHeader): string => {
  const { exchange } = Object(config) as { readonly exchange?: Readonly<Record<string, unknown>> };
  const username = exchange?.['username'];
  const account = typeof username === 'string' ? accountKey(username) : username;
  return JSON.stringify([exchange?.['restUrl'], account, exchange?.['playerMode']]);
};

const otherGate = (journal: string, { gate }: JournalHeader, name: string): string =>
  gate === undefined
    ? `${shownPath(journal)}: the run was without a gate`
    : gate.name === name
      ? `${shownPath(journal)}: the run began with another ${name}: the file was changed since`
      : `${shownPath(journal)}: the run was of the gate ${gate.name}`;

/** Adds a run to the figures. Returns the reasons why it does not count. */
async function problemsOf({ journal, header }: GatedRun, figures: RunFigures): Promise<readonly string[]> {
  const follower = figures.beginRun(recordedConfig(journal, header));
  const { difference, invalid, tear } = await readEvents(journal, header, 'judging', follower.step, {
    withoutPrices: true,
  });
  follower.end();
  // a killed run counts as far as its journal goes
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  if (difference !== undefined) return [`${shownPath(journal)}: ${difference}`];
  return invalid === undefined ? [] : [invalid];
}

/** Why a figure is not known: the number of fills that lack it. */
function unknownText(all: unknown, path: string): string {
  const [, phase = '', figure = path] = /^(phases\.\w+\.)?(.*)$/.exec(path) ?? [];
  const fills = figureAt(all, `${phase}known.${figure}.ofFills`);
  return typeof fills === 'number' ? `none of ${fills} fills has it` : 'the runs have no data for it';
}

function textOf(
  { name }: Gate,
  verdict: Verdict | 'void',
  judgedBy: { readonly pass: readonly Judged[]; readonly kill: readonly Judged[] } | undefined,
  journals: number,
  problems: readonly string[],
): string {
  const row = (section: string, { path, operator, than, value, holds }: Judged): readonly string[] => [
    section,
    path,
    value === null ? 'not known' : String(Math.round(value * 1e6) / 1e6),
    `${operator} ${than}`,
    holds === null ? '–' : holds ? 'yes' : 'no',
  ];
  const rows = [
    ['', 'figure', 'is', 'threshold', 'holds'],
    ...(judgedBy?.pass ?? []).map((judgement) => row('pass', judgement)),
    ...(judgedBy?.kill ?? []).map((judgement) => row('kill', judgement)),
  ];
  const table = judgedBy === undefined ? [] : aligned(rows, '  ');
  return [`${name}: ${verdict}, ${journals} ${journals === 1 ? 'run' : 'runs'}`, ...problems, ...table, '']
    .map(printable)
    .join('\n');
}
