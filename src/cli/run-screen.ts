// The output of a run: for people a start text, the page's address and a summary; for programs one JSON
// object, however the run ended.
import { writeSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import type { RecordedFiles, RunScreen } from '../live/index.ts';
import type { BotResult } from '../run/index.ts';
import { jsonOf, jsonOfNothing } from '../run/index.ts';
import { startText } from './start-text.ts';
import { summaryOf } from './summary.ts';

/** @param watched in a dry run, the configuration of the exchange whose books are used */
export function screenOf(loaded: LoadedConfig, watched: LoadedConfig | undefined, isJson: boolean): RunScreen {
  const isTerminal = process.stderr.isTTY && !isJson;
  const beganAt = performance.now();
  let isShown = false;
  const textOf = (result: BotResult, kept: RecordedFiles): string => {
    isShown = true;
    return isJson ? `${JSON.stringify(jsonOf(result))}\n` : summaryOf(result, kept);
  };
  const ended = (result: BotResult, kept: RecordedFiles): void => void process.stdout.write(textOf(result, kept));
  return {
    isTerminal,
    begin: () => {
      if (isTerminal) process.stderr.write(startText(loaded, watched));
    },
    page: (url) => {
      if (isTerminal) process.stderr.write(`page: ${url}\n`);
    },
    ended,
    // a failed run that sent orders is summarised, too
    failed: (result, kept) => {
      if (isJson || result.requests.place > 0) ended(result, kept);
    },
    endedNow: (result, kept) => void writeSync(1, textOf(result, kept)),
    nothing: () => {
      if (isJson && !isShown)
        process.stdout.write(`${JSON.stringify(jsonOfNothing(Math.round(performance.now() - beganAt)))}\n`);
      isShown = true;
    },
  };
}
