// The summary that a run prints before it starts: a few lines of at most 80 columns.
import type { LoadedConfig } from '../config/index.ts';
import { moneyText, printable } from '../domain/index.ts';
import { shownPath } from '../terminal/index.ts';
import { VERSION } from '../files/index.ts';

const WIDTH = 80;

/** @param real the configuration of the watched exchange, in a dry run */
export function startText(loaded: LoadedConfig, real?: LoadedConfig): string {
  const { exchange, journal, markets, risk, strategies } = loaded.config;
  const { leagues, types, lines, live } = markets;
  const rows: readonly (readonly [string, string])[] = [
    [
      'exchange',
      real === undefined
        ? `${exchangeText(exchange)}, ${exchange.playerMode}`
        : `DRY: the books of ${exchangeText(real.config.exchange)}, orders stay here`,
    ],
    [
      'markets',
      `${leagues.join(', ')}: ${types.join(', ')}, ${lines === 'main' ? 'main lines' : 'all lines'}${live ? ', in play too' : ''}`,
    ],
    ['strategy', strategies.map(({ id, use }) => `${id} (${use})`).join(', ')],
    [
      'limits',
      `${moneyText(risk.maxGameLoss, 0)} a game, ${moneyText(risk.maxTotalLoss, 0)} in all${
        risk.maxDailyLoss === null ? '' : `, ${moneyText(risk.maxDailyLoss, 0)} a day`
      }`,
    ],
    ['journal', journal.dir === null ? 'none' : shownPath(loaded.resolve(journal.dir))],
  ];
  return [
    `oddsmaker ${VERSION}: ${loaded.file}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(10)}${printable(text)}`),
    'Ctrl-C stops in order: everything is cancelled first.',
  ]
    .map((line) => `${line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`}\n`)
    .join('');
}

function exchangeText({ embedded, restUrl, username }: LoadedConfig['config']['exchange']): string {
  if (embedded === undefined) return `${restUrl} as ${username}`;
  const { games, speed, tapes, traders } = embedded;
  const others =
    tapes.length > 0
      ? `${tapes.length} ${tapes.length === 1 ? 'tape' : 'tapes'}`
      : traders === 'none'
        ? 'no other traders'
        : `${games} synthetic games`;
  return `paper, on this machine: ${others}${speed === 1 ? '' : `, ${speed} times as fast`}`;
}
