// `oddsmaker dev`: paper exchange, bot and status in one; a saved strategy file replaces the running version.
import type { Command } from 'commander';
import { ERASE_LINE, EXIT } from '../domain/index.ts';
import type { Bot, HotReload } from '../live/index.ts';
import { withEnvFile } from './env-file.ts';
import { duration } from './flags.ts';
import { run } from './run-bot.ts';
import { StrategyWatch } from '../live/index.ts';
import { habitText, TypeChecks } from '../setup/index.ts';

const HELP = `
Runs the bot of CONFIG on its embedded paper exchange, as \`run\` does, and watches the files of its strategies and what
these import. A saved file is loaded and shown the books of that moment beside the version that runs; then it replaces
that, and quotes that it wants again stay where they rest. Where something is wrong, file, line and the lines around are
shown, and the former version continues. Types are checked beside that, where typescript is installed: an error of types
is shown, and refuses nothing. The journal has both versions: it replays.

Exit:  as \`run\`; 78 where the exchange is not embedded.

Examples:
  oddsmaker dev config/paper.yaml
`;

export function registerDev(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Paper exchange, bot and status in one; saved strategies replace the running ones.')
    .argument('<config>', 'YAML file')
    .option('--for <duration>', 'stop in order after this long, such as 60s', duration)
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly for?: number }, self: Command) => {
      const misused = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
      finish(await run(file, { tape: [], ...flags }, misused, watching));
    });
}

function watching(hot: HotReload, bot: Bot): () => void {
  const { loaded } = hot;
  const { strategies } = hot.core;
  const types = new TypeChecks(loaded.file);
  // the first check reads files that later checks reuse: do it before something is saved
  void types.check(strategies.map(({ file }) => loaded.resolve(file))).catch(() => undefined);
  const watch = new StrategyWatch(() => hot.loaded, strategies, {
    bot: {
      loading: (strategy) => bot.strategies.loading(strategy),
      thrownIn: (url) => bot.strategies.thrownIn(url),
      tryOut: (entry) => bot.strategies.tryOut(entry),
      reload: (index, reload) => {
        bot.strategies.reload(index, reload);
        hot.noteReload(index, reload);
      },
    },
    types,
    reports: {
      took: (strategy, file, { shown, quoted }, ms) =>
        say(
          `${strategy}: ${file} replaced it after ${(ms / 1000).toFixed(2)} s: ` +
            (shown === 0
              ? 'no market is quoted now, so it was not tried'
              : `wants quotes on ${quoted} of ${shown} markets`),
        ),
      refused: (strategy, file, problems) =>
        say(`${strategy}: ${file} is not taken, the former version continues:\n${problems.map(indented).join('\n')}`),
      typed: (strategy, file, problems) =>
        say(`${strategy}: ${file} has type errors:\n${problems.map(indented).join('\n')}`),
      warned: (strategy, habits) =>
        say(
          `${strategy}: valid but probably unintended:\n${habits.map((habit) => indented(habitText(habit))).join('\n')}`,
        ),
      untyped: (why) => say(`types are not checked: ${why}`),
    },
  });
  return () => {
    watch.close();
    void types.close();
  };
}

/** Writes a line above the status line, where there is one. */
const say = (text: string): void => void process.stderr.write(`${process.stderr.isTTY ? ERASE_LINE : ''}${text}\n`);
const indented = (text: string): string => text.replaceAll(/^/gm, '  ');
