// `oddsmaker fit-fills`: fits a fill model on recordings that show which vanished offers were taken, and
// scores it.
import type { Command } from 'commander';
import type { FillFit, FillScore, Labelled } from '../backtest/index.ts';
import {
  BLOCKS,
  fitFills,
  LEAST_LABELS,
  scoreOf,
  labelsIn,
  takenProbability,
  SHIPPED_FILL_MODEL,
  findTapes,
  openTapes,
  fillModelText,
} from '../backtest/index.ts';
import type { Tape } from '../tape/index.ts';
import { EXIT, moneyText, OddsmakerError, printable } from '../domain/index.ts';
import { aligned, LiveLine } from '../terminal/index.ts';
import { shareOfAll, wholeNumber } from './flags.ts';
import { refuseInput, writeOutFile } from './out-file.ts';

const HELP = `
A tape does not say whether an offer that vanishes was taken or cancelled. Some recordings do: those that show an offer
once more with nothing left (sumUntaken 0) when takers had the last of it, as the paper exchange does with
--profile showsSpent=true; and journals, or recordings with an own account, whose own offers prove something of those around
them: behind one that stayed nothing was taken, and before one that was taken nothing was cancelled.

Fits P(taken | vanished) on them and writes it to --out, for backtest --fill-model. The score is that of ${BLOCKS}
blocks of time, each judged by a model that was fitted on the others: Brier score against the best constant, stakes
taken against the truth, and reliability by tenths. The model that ships is scored beside it, on all of it. --explained
is the share of the traded volume that the recordings show as taken; the truth is a range then.

Exit:  0 done; 2 a wrong command line; 65 a bad tape, or too few offers that are known to be taken or cancelled
       (${LEAST_LABELS} of each); 78 the file cannot be written.

Examples:
  oddsmaker fit-fills data/tapes --out fills.json
  oddsmaker fit-fills data/journal/<run>.ndjson.zst --out fills.json
  oddsmaker backtest config/paper.yaml --tape data/other --out out --fill-model fills.json
`;

type Flags = {
  readonly out: string;
  readonly depth?: number;
  readonly lenient?: true;
  readonly explained?: number;
  readonly json?: true;
};

export function registerFitFills(command: Command, finish: (code: number) => void): void {
  command
    .description('Fits a fill model on recordings that show what was taken, and scores it.')
    .argument('<tapes...>', 'recorded feeds or journals, or folders of them')
    .requiredOption('--out <file>', 'where the model goes')
    .option('--depth <rows>', 'rows that a ladder has at most, in tapes that do not say', wholeNumber(1, 100_000))
    .option('--explained <share>', 'share of the traded volume that the recordings show as taken: 0 to 1', shareOfAll)
    .option('--lenient', 'leave out lines that cannot be read')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (names: readonly string[], flags: Flags) => {
      finish(await fit(names, flags));
    });
}

async function fit(names: readonly string[], flags: Flags): Promise<number> {
  const tapes = await findTapes(names);
  const reads = [...names, ...tapes.map(({ file }) => file)];
  refuseInput(flags.out, reads);
  const { labels, unknown } = await labelsOf(tapes, flags);
  const taken = labels.reduce((sum, { isTaken }) => sum + Number(isTaken), 0);
  if (Math.min(taken, labels.length - taken) < LEAST_LABELS)
    throw new OddsmakerError(
      'TAPE_INVALID',
      `${names.join(', ')}: of ${labels.length + unknown} offers that vanished, ${taken} are known to be taken and ` +
        `${labels.length - taken} to be cancelled: a model takes ${LEAST_LABELS} of each`,
    );
  const found = fitFills(labels, `fitted on ${labels.length} offers`);
  const shipped = scoreOf(labels, takenProbability(SHIPPED_FILL_MODEL));
  writeOutFile(flags.out, fillModelText(found.model), reads);
  const report = { labels, unknown, found, shipped, explained: flags.explained };
  process.stdout.write(flags.json === true ? jsonOf(report) : textOf(report, flags.out));
  return EXIT.done;
}

type FitReport = {
  readonly labels: readonly Labelled[];
  readonly unknown: number;
  readonly found: FillFit;
  readonly shipped: FillScore;
  readonly explained: number | undefined;
};

/** The labelled offers of all tapes. Each tape is read by itself, because recordings do not share books. */
async function labelsOf(
  tapes: readonly Tape[],
  { depth, lenient }: Flags,
): Promise<{ readonly labels: readonly Labelled[]; readonly unknown: number }> {
  const line = new LiveLine(process.stderr);
  const labels: Labelled[] = [];
  let unknown = 0;
  try {
    for (const [index, tape] of tapes.entries()) {
      let share = 0;
      const { market } = openTapes(
        [tape],
        { lenient: lenient === true, cache: 'none', depth },
        (_tape, read) => (share = read),
      );
      const found = await labelsIn(market, () =>
        line.draw(() => `tape ${index + 1} of ${tapes.length} · ${(share * 100).toFixed(0)} %`),
      );
      await market.close();
      labels.push(...found.labelled);
      unknown += found.unknown;
    }
  } finally {
    line.clearLine();
  }
  return { labels: labels.sort((a, b) => a.vanished.ts - b.vanished.ts), unknown };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

function scoreJson(score: FillScore) {
  return {
    brier: rounded(score.brier, 5),
    brierOfConstant: rounded(score.brierOfConstant, 5),
    risk: rounded(score.risk, 2),
    riskOfModel: rounded(score.riskOfModel, 2),
    riskOfConstant: rounded(score.riskOfConstant, 2),
    reliability: score.reliability.map(({ offers, expected, taken }) => ({
      offers,
      expected: rounded(expected, 1),
      taken,
    })),
  };
}

function jsonOf({ labels, unknown, found: { model, score }, shipped, explained }: FitReport): string {
  return `${JSON.stringify({
    schema: 1,
    offers: { known: labels.length, unknown, taken: labels.filter(({ isTaken }) => isTaken).length },
    riskRange: [rounded(score.risk, 2), rounded(score.risk / (explained ?? 1), 2)],
    heldOut: scoreJson(score),
    shipped: scoreJson(shipped),
    model,
  })}\n`;
}

function textOf({ labels, unknown, found: { model, score }, shipped, explained }: FitReport, out: string): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const against = (risk: number): string =>
    `${moneyText(risk)} (${risk >= score.risk ? '+' : '−'}${percent(Math.abs(risk / score.risk - 1))})`;
  const range =
    explained === undefined
      ? ''
      : `, at most ${moneyText(score.risk / explained)} if ${percent(explained)} are explained`;
  return [
    `${labels.length} vanished offers are known, ${percent(score.taken)} of them taken; ${unknown} are not known`,
    `stakes taken: ${moneyText(score.risk)}${range}`,
    '',
    ...aligned([
      ['', 'Brier', 'stakes taken'],
      [`fitted, ${BLOCKS} blocks held out`, score.brier.toFixed(4), against(score.riskOfModel)],
      ['the model that ships', shipped.brier.toFixed(4), against(shipped.riskOfModel)],
      ['best constant', score.brierOfConstant.toFixed(4), against(score.riskOfConstant)],
    ]),
    '',
    ...aligned([
      ['probability', 'offers', 'expected', 'taken'],
      ...score.reliability.map(
        ({ offers, expected, taken }, tenth) =>
          [
            `${(tenth / 10).toFixed(1)} to ${((tenth + 1) / 10).toFixed(1)}`,
            String(offers),
            expected.toFixed(0),
            String(taken),
          ] as const,
      ),
    ]),
    '',
    `it looks at ${model.features.map(({ name }) => name).join(', ')}`,
    `written to ${out}: backtest --fill-model ${out}`,
    '',
  ]
    .map(printable)
    .join('\n');
}
