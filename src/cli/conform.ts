// `oddsmaker conform`: checks a journal against the rules of the exchange, in one pass.
import type { Command } from 'commander';
import { readEffective } from '../config/index.ts';
import type { ExitCode } from '../domain/index.ts';
import { EXIT, OddsmakerError, printable } from '../domain/index.ts';
import { Conformance, conformSettings } from '../conform/index.ts';
import type { Finding } from '../conform/index.ts';
import type { Tear } from '../journal/index.ts';
import {
  scanJournal,
  headerOf,
  journalAt,
  tearText,
  timeOf,
  tolerant,
  tornOf,
  JournalProgress,
} from '../journal/index.ts';

const HELP = `
Reads requests and answers, and looks for violations of the exchange's rules: too many requests in a window, retries that
come too early, too often or unchanged, cancels under the lock of a cancel-all, orders without a unique reference.
Limits, lateArrival, instance and wire profile are those of the journal's own configuration.

The time at which the exchange counted a request is not known. A window counts as exceeded only when no order of arrival
between the sendings and the answers could have kept it. 429s are counted separately: one may also mean that the exchange
allows less than the configuration says, or that another client used the account.

A journal that breaks off (its run was killed, or is running) is checked up to there.

--json prints one object: {schema: 1, ok, journal: {file, records, torn}, requests: {place, edit, cancel, cancelAll,
unanswered, throttled: {place, cancel}}, rules}. rules: one {id, says, checked, found, findings} each; of many findings the
first 100 are shown, as {rule, seq, at, text, requests}.

Exit:  0 every rule was kept; 2 a wrong command line; 65 a rule was broken, or the journal is torn, was changed, or cannot
       be read by this version.

Examples:
  oddsmaker conform data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson
  oddsmaker conform data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson --json | jq '.rules[] | select(.found > 0)'
`;

export function registerConform(command: Command, finish: (code: number) => void): void {
  command
    .description('Checks what a run sent against the rules of the exchange: windows, retries, locks, references.')
    .argument('<journal>', 'NDJSON file of a run, packed or not; any part of a long one; or a folder: its newest')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly json?: true }) => {
      finish(await conform(journalAt(file), flags.json === true));
    });
}

type Report = {
  readonly file: string;
  readonly conformance: Conformance;
  readonly records: number;
  readonly tear: Tear | undefined;
};

async function conform(file: string, json: boolean): Promise<ExitCode> {
  const { config } = await headerOf(file);
  const read = readEffective(config);
  if (!read.ok)
    throw new OddsmakerError(
      'JOURNAL_INVALID',
      `${file}:1: the configuration in its header cannot be read by this version: ${read.problem}`,
    );
  const conformance = new Conformance(conformSettings(read.value));
  const progress = new JournalProgress(process.stderr, file, 'reading');
  let records = 0;
  let tear: Tear | undefined;
  try {
    await scanJournal(file, {
      step: tolerant(file, (step) => {
        conformance.applyStep(step);
        records = step.input.seq;
        progress.advance();
      }),
      torn: (foundTear) => {
        tear = foundTear;
      },
    });
  } finally {
    progress.clearLine();
  }
  const report = { file, conformance, records, tear };
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  process.stdout.write(json ? `${JSON.stringify(jsonOf(report))}\n` : textOf(report));
  return isKept(report) && tear === undefined ? EXIT.done : EXIT.badData;
}

const isKept = ({ conformance }: Report): boolean => conformance.rules.every(({ found }) => found === 0);

function jsonOf(report: Report): unknown {
  const { file, conformance, records, tear } = report;
  return {
    schema: 1,
    ok: isKept(report) && tear === undefined,
    journal: { file, records, torn: tornOf(tear) },
    requests: conformance.requests,
    rules: conformance.rules.map((rule) => ({
      ...rule,
      findings: rule.findings.map((finding) => ({
        rule: finding.rule,
        seq: finding.seq,
        at: timeOf(finding),
        text: finding.text,
        requests: finding.requests,
      })),
    })),
  };
}

function textOf(report: Report): string {
  const { file, conformance, records, tear } = report;
  const { place, edit, cancel, cancelAll, unanswered, throttled } = conformance.requests;
  const { rules } = conformance;
  const found = rules.reduce((sum, rule) => sum + rule.found, 0);
  const rows = [
    `journal   ${file}, ${records.toLocaleString('en-US')} records${tear === undefined ? '' : ', breaks off'}`,
    `requests  ${place} place, ${edit} edit, ${cancel} cancel, ${cancelAll} cancel-all; ${unanswered} never answered`,
    `429       ${throttled.place} to places and edits, ${throttled.cancel} to cancels`,
    '',
    'rule               checked  broken',
    ...rules.map(
      ({ id, says, checked, found: broken }) =>
        `${id.padEnd(16)} ${String(checked).padStart(9)} ${String(broken).padStart(7)}  ${says}`,
    ),
    '',
    ...rules.flatMap(({ id, found: broken, findings }) => [
      ...findings.flatMap(findingRows),
      ...(broken > findings.length ? [`${id}: and ${broken - findings.length} more`] : []),
    ]),
    ...(found === 0 ? [] : ['']),
    `${found === 0 ? 'Every rule was kept' : `The rules were broken ${found === 1 ? 'once' : `${found} times`}`}${
      tear === undefined ? '' : ` up to record ${tear.seq}, where the journal breaks off`
    }`,
  ];
  return `${rows.map(printable).join('\n')}\n`;
}

const MAX_REQUESTS = 6;

function findingRows(finding: Finding): readonly string[] {
  const { rule, seq, text, requests } = finding;
  const shownRequests = requests.slice(0, MAX_REQUESTS).join(', ');
  const left = requests.length - MAX_REQUESTS;
  const named = `request${requests.length === 1 ? '' : 's'} ${shownRequests}${left > 0 ? ` and ${left} more` : ''}`;
  return [`${rule}  #${seq}  ${timeOf(finding)}`, `  ${text}${requests.length === 0 ? '' : ` (${named})`}`];
}
