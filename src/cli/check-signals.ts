// The rows of `check` on the signal sources of a configuration, and warnings for files that are missing.
import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import { withoutSecrets } from '../domain/index.ts';
import { teamsOf } from '../live/index.ts';
import { devigRows } from './check-prices.ts';

type Row = readonly [name: string, text: string];

/** @throws OddsmakerError CONFIG_INVALID of a table of teams that cannot be read */
export function signalRows(loaded: LoadedConfig): readonly Row[] {
  const { http, files, redis, odds } = loaded.config.signals;
  const { port } = loaded.config.ops;
  const shown = (url: string): string => withoutSecrets(url) as string;
  const rows: Row[] = [
    ['http', http ? `POST /api/signals on the admin port ${port === 0 ? '(any free one)' : port}` : 'not taken'],
    ...files.map((file): Row => ['file', loaded.resolve(file) + notThere(loaded, file)]),
  ];
  if (redis !== null) rows.push(['redis', `stream ${redis.stream} of ${shown(redis.url)}`]);
  if (odds !== null) {
    const { url, file, every, ttl, devig, books, teams, model, exchangeWeight } = odds;
    const where = url === undefined ? loaded.resolve(file ?? '') + notThere(loaded, file ?? '') : shown(url);
    const weights = Object.entries(books).map(([name, weight]) => `${name} ${weight}`);
    rows.push(
      ['odds', `${where}, every ${every / 1000} s, good for ${ttl / 1000} s, devig ${devig}`],
      ['  books', weights.length === 0 ? 'all weigh 1' : weights.join(', ')],
      ['  model', MODEL_TEXTS[model]],
      ...(model === 'fit' ? [['  own book', `of the exchange, weight ${exchangeWeight}`] as const] : []),
      ...devigRows(devig).map((text): Row => [`  ${devig}`, text]),
    );
    if (teams !== null) rows.push(['  teams', `${Object.keys(teamsOf(loaded)).length} of ${loaded.resolve(teams)}`]);
  }
  return rows;
}

const MODEL_TEXTS = {
  fit: 'fit: every market of a game has a price, model:<market>, beside odds:<market> of lines that bookmakers quote',
  line: 'line: only lines that bookmakers quote have a price, odds:<market>; model: fit prices every market of a game',
} as const;

const notThere = (loaded: LoadedConfig, file: string): string =>
  existsSync(loaded.resolve(file)) ? '' : ' (not there yet)';

/** Warnings about settings that are allowed but probably not intended. */
export function signalWarnings(loaded: LoadedConfig): readonly string[] {
  const { files, odds } = loaded.config.signals;
  const warnings = files.flatMap((file, index) =>
    existsSync(loaded.resolve(file))
      ? []
      : loaded.problem(
          ['signals', 'files', index],
          'the file does not exist: it is read from its beginning once it does',
        ).message,
  );
  if (odds?.file !== undefined && !existsSync(loaded.resolve(odds.file)))
    warnings.push(
      loaded.problem(['signals', 'odds', 'file'], 'the file is not there: the odds feed is silent until then').message,
    );
  if (odds !== null && Object.keys(teamsOf(loaded)).length === 0 && odds.teams !== null)
    warnings.push(loaded.problem(['signals', 'odds', 'teams'], 'the table has no team').message);
  return warnings;
}
