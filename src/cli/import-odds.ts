// `oddsmaker import odds`: odds documents of the past to signal tapes.
import { EXIT, isoTime, OddsmakerError, printable } from '../domain/index.ts';
import { prepareOut } from '../backtest/index.ts';
import { loadConfig, loadTeams } from '../config/index.ts';
import { readOddsHistory } from '../history/index.ts';
import type { ImportedOdds } from '../import/index.ts';
import { importOdds, RecordedGames } from '../import/index.ts';
import { readBooks } from '../live/index.ts';
import type { DevigMethod } from '../pricing/index.ts';
import type { OddsHistory } from '../signals/index.ts';
import { BookFollower, NONE_EXHAUSTED } from '../tape/index.ts';
import { aligned, LiveLine } from '../terminal/index.ts';
import { say } from './say.ts';

export type OddsFlags = {
  readonly out: string;
  readonly games: readonly string[];
  readonly assumeDelay?: number;
  readonly ttl?: number;
  readonly devig: DevigMethod;
  readonly model: 'fit' | 'line';
  readonly book: Readonly<Record<string, number>>;
  readonly teams?: string;
  readonly sport?: string;
  readonly map: Readonly<Record<string, string>>;
  readonly json?: true;
};

/** @throws OddsmakerError ODDS_INVALID, TABLE_INVALID, TAPE_INVALID, CONFIG_INVALID, OUT_UNWRITABLE */
export async function importOddsFrom(paths: readonly string[], flags: OddsFlags): Promise<number> {
  prepareOut(flags.out, []);
  const { history, faults } = await readOddsHistory(paths, {
    map: flags.map,
    sport: flags.sport,
    assumedDelayMs: flags.assumeDelay,
  });
  for (const fault of faults) say(fault);
  const games = flags.games.length === 0 ? undefined : await gamesOf(flags.games);
  const line = new LiveLine(process.stderr);
  const ttlMs = flags.ttl ?? usualTtl(history);
  const imported = await importOdds(history, {
    out: flags.out,
    method: flags.devig,
    weights: flags.book,
    ttlMs,
    table: flags.teams === undefined ? {} : loadTeams(flags.teams),
    // the exchange's own book is none of the documents
    model: flags.model === 'fit' ? { exchangeWeight: 0, deviations: {} } : undefined,
    games,
    progress: (done, all) => line.draw(() => `import: ${done} of ${all} documents`),
  });
  line.clearLine();
  sayFirst([
    ...imported.unmatched.map(({ event, start, why }) => `${event}, ${isoTime(start)}: ${why}`),
    ...imported.left,
  ]);
  process.stdout.write(
    flags.json === true ? `${JSON.stringify(jsonOf(imported, ttlMs, faults))}\n` : textOf(imported, ttlMs),
  );
  return imported.tapes.length === 0 ? EXIT.badData : EXIT.done;
}

const MOST_SAID = 20;

function sayFirst(texts: readonly string[]): void {
  for (const text of texts.slice(0, MOST_SAID)) say(text);
  if (texts.length > MOST_SAID) say(`… and ${texts.length - MOST_SAID} more without a price: --json lists them`);
}

async function gamesOf(names: readonly string[]): Promise<RecordedGames> {
  const configs = names.filter((name) => /\.ya?ml$/.test(name));
  const games = await RecordedGames.read(
    names.filter((name) => !configs.includes(name)),
    () => undefined,
  );
  for (const file of configs) {
    const follower = new BookFollower();
    for (const game of await readBooks(loadConfig(file, process.env))) {
      games.addHeader(game, 0);
      for (const { books } of follower.applyEvent({ ts: 0, what: 'game', game, exhausted: NONE_EXHAUSTED }))
        games.addMarket(books.market);
    }
  }
  if (games.size === 0) throw new OddsmakerError('TAPE_INVALID', `--games ${names.join(', ')}: there is no game`);
  return games;
}

const [LEAST_TTL_MS, MOST_TTL_MS] = [2 * 60_000, 60 * 60_000];

/** Three times the usual time between two documents: a price survives one that is missing. */
function usualTtl(history: OddsHistory): number {
  const times = [
    ...new Set(history.events.flatMap(({ snapshots }) => snapshots.map(({ fetchedAt }) => fetchedAt))),
  ].sort((a, b) => a - b);
  const gaps = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .sort((a, b) => a - b);
  return Math.min(MOST_TTL_MS, Math.max(LEAST_TTL_MS, 3 * (gaps[gaps.length >> 1] ?? LEAST_TTL_MS)));
}

const jsonOf = ({ tapes, unmatched, ...figures }: ImportedOdds, ttlMs: number, faults: readonly string[]): object => ({
  schema: 1,
  ...figures,
  ttl: ttlMs,
  tapes: tapes.map(({ from, to, ...tape }) => ({ ...tape, from: isoTime(from), to: isoTime(to) })),
  unmatched: unmatched.map(({ start, ...other }) => ({ ...other, start: isoTime(start) })),
  faults,
});

function textOf({ tapes, documents, priced, events, unmatched }: ImportedOdds, ttlMs: number): string {
  const table = aligned([
    ['signal tape', 'from', 'to', 'messages', 'signals'],
    ...tapes.map(({ file, from, to, messages, names }) => [
      ...[printable(file), isoTime(from).slice(0, 16), isoTime(to).slice(0, 16)],
      ...[messages.toLocaleString('en-US'), names.toLocaleString('en-US')],
    ]),
  ]);
  return [
    ...(tapes.length === 0 ? [] : [...table, '']),
    `${documents.toLocaleString('en-US')} documents: ${priced} of ${events} events have prices, ${unmatched.length} match no game; a price is valid for ${Math.round(ttlMs / 1000)} s`,
    '',
  ].join('\n');
}
