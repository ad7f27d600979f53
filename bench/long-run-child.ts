// An hour of a bot on the virtual clock, in its own process: 18 busy markets of the paper exchange. It writes the journal of the hour and a
// shorter one for `report`. A second process steps the
// journal through a core with all that follows it in a live bot, and measures the heap after collections.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { VirtualRun } from '../src/backtest/virtual-run.ts';
import { loadConfig } from '../src/config/index.ts';
import { createRandom } from '../src/domain/random.ts';
import { Core } from '../src/engine/index.ts';
import { WindowLedger } from '../src/exchange/index.ts';
import { JournalWriter, partsOf, scanJournal } from '../src/journal/index.ts';
import { PageView } from '../src/page/index.ts';
import { EventStream, ProgramEvents } from '../src/page/server/index.ts';
import { InProcessExchange } from '../src/paper/index.ts';
import { LiveFigures } from '../src/run/index.ts';
import { journalHeader, loadCoreSettings } from '../src/setup/index.ts';
import { TWO_SIDED } from '../test/support/children.ts';
import { GOOD_DISK } from '../test/support/disk.ts';
import { WINDOWS } from '../test/support/windows.ts';
import { Decoder } from '../src/wire/index.ts';
import { serve } from './child.ts';

export type Plan = {
  readonly folder: string;
  /** The edge of the strategy, as probability: the smaller, the more fills. */
  readonly edge: number;
  readonly minutes: number;
  /** Length of the journal for `report`, characters. */
  readonly reportChars: number;
};
export type LongRunQuestion =
  { readonly play: Plan } | { readonly follow: { readonly folder: string; readonly journal: string } };
export type Played = {
  readonly journal: string;
  /** Size of the packed journal with all its parts, bytes. */
  readonly bytes: number;
  /** The journal for `report`, and its length, characters. */
  readonly short: string;
  readonly shortChars: number;
  readonly markets: number;
  readonly fills: number;
  readonly frames: number;
};
/** The heap after a collection, MB, at a minute of the run. */
export type HeapSample = { readonly minute: number; readonly mb: number };

const START = Date.parse('2030-01-01T00:00:00Z');
const RUN = 'bench';
const SAMPLE_MS = 30_000;

const configOf = (edge: number): string => `exchange:
  restUrl: http://127.0.0.1:9
  socketUrl: http://127.0.0.1:9
  username: bot
  password: secret-word
  playerMode: coins
markets: { leagues: [NBA], lines: main, stopBefore: 0s }
risk: { maxTotalLoss: 5000000, maxGameLoss: 1000000, maxDailyLoss: 5000000, maxCreditUse: 1 }
strategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: ${edge}, risk: 50 } }]
`;

async function loaded(folder: string) {
  const file = join(folder, 'bot.yaml');
  const config = loadConfig(file, {});
  return { config, core: await loadCoreSettings(config) };
}

async function play({ folder, edge, minutes, reportChars }: Plan): Promise<Played> {
  writeFileSync(join(folder, 'bot.yaml'), configOf(edge));
  const { config, core } = await loaded(folder);
  const header = journalHeader(config, core.strategies, folder);
  const journal = join(folder, 'hour.ndjson.zst');
  const short = join(folder, 'short.ndjson.zst');
  const whole = new JournalWriter(journal, header, GOOD_DISK);
  let begun: JournalWriter | undefined = new JournalWriter(short, header, GOOD_DISK);
  let ended: Promise<void> | undefined;
  let shortChars = 0;
  const exchange = new InProcessExchange({
    startMs: START,
    traders: 'synthetic',
    games: 6,
    seed: 1,
    accounts: [{ username: 'bot', password: 'secret-word', coins: 1e7 }],
  });
  const latency = createRandom(1, 'latency');
  const { exchange: settings } = config.config;
  const run = new VirtualRun({
    exchange,
    settings: core.settings,
    impure: new Set(core.settings.strategies.map(({ id }) => id)),
    run: RUN,
    door: {
      ...{ username: 'bot', password: 'secret-word', playerMode: 'coins', profile: settings.profile },
      ...{ startTimeoutMs: 60_000, requestTimeoutMs: 5000, lateArrivalMs: 30_000, expirationMinutes: undefined },
      windows: {
        place: new WindowLedger(WINDOWS.place),
        cancel: new WindowLedger(WINDOWS.cancel),
        read: new WindowLedger({ requests: 10, windowMs: 1000, marginMs: 20 }),
      },
      latency: () => latency.between(20, 60),
    },
    record: ({ arrival, commands, events }) => {
      whole.record(arrival, commands, events);
      if (begun === undefined) return;
      begun.record(arrival, commands, events);
      shortChars += JSON.stringify([arrival, commands, events]).length;
      if (shortChars < reportChars) return;
      ended = begun.close();
      begun = undefined;
    },
  });
  run.start();
  for (let second = 1; second <= minutes * 60; second++) {
    exchange.advanceTo(START + second * 1000);
    await whole.ready();
  }
  const { frames, fills, markets } = run.status();
  await Promise.all([whole.close(), begun?.close() ?? ended]);
  const bytes = partsOf(journal).reduce((sum, { file }) => sum + statSync(file).size, 0);
  return { journal, bytes, short, shortChars, markets, fills, frames };
}

async function follow(folder: string, journal: string): Promise<readonly HeapSample[]> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { config, core: settings } = await loaded(folder);
  const core = new Core(settings.settings, { reportAsync: () => undefined });
  const decoder = new Decoder(config.config.exchange.profile);
  const figures = new LiveFigures({ run: RUN, commission: config.config.commission });
  const view = new PageView(core, figures, () => {
    throw new Error('no page is open');
  });
  const programs = new ProgramEvents(core, new EventStream());
  const samples: HeapSample[] = [];
  let sampleAt = START;
  await scanJournal(journal, {
    step: ({ input }) => {
      const { commands, events } = core.step({ ...input, in: decoder.inputOf(input.in) });
      decoder.applyCommands(commands, input.mono);
      figures.step(input.t, events);
      view.step(input);
      programs.step(input, events);
      if (input.t < sampleAt) return;
      sampleAt += SAMPLE_MS;
      collect();
      samples.push({ minute: (input.t - START) / 60_000, mb: process.memoryUsage().heapUsed / 1e6 });
    },
  });
  return samples;
}

serve((question: LongRunQuestion): Promise<Played | readonly HeapSample[]> =>
  'play' in question ? play(question.play) : follow(question.follow.folder, question.follow.journal),
);
