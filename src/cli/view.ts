// `oddsmaker view`: the page over a past run. The run is replayed once and frames of the page are kept, so
// that the page then shows any moment at once.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { sha256Of } from '../tape/index.ts';
import type { Config } from '../config/index.ts';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import { PageView, FrameReader, FrameWriter, FrameMaker } from '../page/index.ts';
import { readPageFiles } from '../page/server/index.ts';
import { cacheFolder, ROOT } from '../files/index.ts';
import { partsOf, headerOf, journalAt, tearText } from '../journal/index.ts';
import { wholeNumber } from './flags.ts';
import { LiveFigures } from '../run/index.ts';
import { buildVersion, recordedConfig } from '../setup/index.ts';
import { PastShell, explainOrder } from '../live/index.ts';
import { loadReplay, replayJournal } from '../replay/index.ts';
import type { ReplayedJournal } from '../replay/index.ts';
import { shownPath } from '../terminal/index.ts';
import { stopRequested } from '../ops/index.ts';

const HELP = `
Shows the page of a running bot for the journal of a finished or running run, or of a backtest (backtest --journal). A
slider selects any moment; fills and alerts are marked on it, and orders have their story. The page accepts no commands.

The first opening replays the run, with progress on a terminal, and keeps frames of the page in the cache folder of the
user ($XDG_CACHE_HOME/oddsmaker, or ~/.cache/oddsmaker); the next one opens at once. A journal that breaks off is shown
up to there. When this version would have traded differently, the page ends at the first difference and says so.

The port is open on this machine only. The printed address contains a token that gives access to the page.

Open only journals that you trust: they contain the code of their strategies, which is run (replay --help).

Exit:  0 it was stopped; 2 a wrong command line; 65 no journal, or one that was changed or has nothing to show; 75 the
       port cannot be opened; 78 a strategy file that is missing or does not load.

Examples:
  oddsmaker view data/journal
  oddsmaker view data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson.zst --port 9470
`;

export function registerView(command: Command, finish: (code: number) => void): void {
  command
    .description('Shows the page over a past run, at any moment of it.')
    .argument('<journal>', 'NDJSON file of a run, packed or not; any part of a long one; or a folder: its newest')
    .option('--port <n>', 'where it listens; 0: any free port', wholeNumber(0, 65535), 0)
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly port: number }) => {
      finish(await view(journalAt(file), flags.port));
    });
}

async function view(journal: string, listenPort: number): Promise<number> {
  const frames = await framesOf(journal);
  const { openViewServer } = await import('../page/server/index.ts');
  const token = randomBytes(24).toString('base64url');
  const server = await openViewServer(
    { port: listenPort, token },
    {
      frames,
      journal: shownPath(journal),
      files: readPageFiles(join(ROOT, 'dist', 'web')),
      why: (order) => explainOrder(journal, order),
    },
  ).catch((error: unknown) => {
    throw new OddsmakerError('PORT_UNOPENED', `127.0.0.1:${listenPort} cannot be opened: ${messageOf(error)}`);
  });
  const { past } = frames;
  if (past.ends !== null) process.stderr.write(`oddsmaker: ${past.ends}\n`);
  process.stdout.write(`${server.url}/#token=${token}\n`);
  process.stderr.write(
    `${shownPath(journal)}: ${past.frames} frames from ${isoText(past.from)} to ${isoText(past.to)}; Ctrl-C ends it\n`,
  );
  await stopRequested();
  await server.app.close();
  frames.close();
  return EXIT.done;
}

const isoText = (t: number): string => new Date(t).toISOString();

/**
 * The cached frames of a journal, made first when there are none. @throws OddsmakerError JOURNAL_INVALID,
 * STRATEGY_*
 */
async function framesOf(journal: string): Promise<FrameReader> {
  const folder = cacheFolder();
  const name = basename(journal);
  const hash = createHash('sha256').update(buildVersion());
  for (const { file } of partsOf(journal)) hash.update(await sha256Of(file).catch(() => ''));
  const prefix = `${name}.${short(resolve(journal))}.`;
  const file = join(folder, `${prefix}${hash.digest('hex').slice(0, 16)}.frames`);
  const cached = FrameReader.open(file);
  if (cached !== undefined) return cached;
  const draft = `${file}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  // drafts of processes that ended while they made frames
  for (const entry of readdirSync(folder))
    if (/\.frames\.\d+$/.test(entry) && !isRunning(Number(entry.slice(entry.lastIndexOf('.') + 1))))
      rmSync(join(folder, entry), { force: true });
  rmSync(draft, { force: true });
  try {
    await makeFrames(journal, draft);
    // frames of an earlier state of this journal
    for (const entry of readdirSync(folder))
      if (entry.startsWith(prefix) && entry.endsWith('.frames')) rmSync(join(folder, entry), { force: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  const made = FrameReader.open(file);
  if (made === undefined) throw new Error(`${file} cannot be read, though it was written a moment ago`);
  return made;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

async function makeFrames(journal: string, draft: string): Promise<void> {
  const header = await headerOf(journal);
  const replayed = await loadReplay(journal, header, undefined);
  let writer: FrameWriter | undefined;
  try {
    writer = new FrameWriter(draft);
    let config: Config = recordedConfig(journal, header);
    const shell = new PastShell(
      { journal, header, loaded: () => ({ config }), settings: replayed.settings },
      replayed.core,
    );
    const live = new LiveFigures({ commission: config.commission });
    const maker = new FrameMaker(new PageView(replayed.core, live, () => shell.view()), writer);
    const outcome = await replayJournal(journal, replayed, 'making frames', {
      reloaded: (newHeader) => {
        config = recordedConfig(journal, newHeader);
      },
      step: (step) => {
        shell.step(step);
        const { in: input } = step.input;
        if (input.type === 'boot') live.run = input.run;
        live.step(step.input.t, step.events);
        maker.step(step.input);
      },
    });
    if (!maker.finishFile(endOf(outcome)))
      throw new OddsmakerError(
        'JOURNAL_INVALID',
        endOf(outcome) ?? `${journal}: it has no record that the page can show`,
      );
  } catch (error) {
    writer?.abandon();
    throw error;
  } finally {
    replayed.close();
  }
}

/** Why the page ends before the journal does. Null when it shows all of it. */
function endOf({ tear, invalid, difference }: ReplayedJournal): string | null {
  if (difference !== undefined)
    return `from record ${difference.seq} on this version would have acted differently, so the page ends there (replay --verify shows more)`;
  if (invalid !== undefined) return `${invalid}; it is shown up to there`;
  return tear === undefined ? null : tearText(tear);
}
