// What a run prints: to a person a start, a page and a summary, to a program one JSON object, whatever ended the run.
import { writeSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import type { Kept, RunScreen } from '../live/index.ts';
import type { BotResult } from '../run/index.ts';
import { jsonOf, jsonOfNothing } from '../run/index.ts';
import { startText } from './start-text.ts';
import { summaryOf } from './summary.ts';

/** @param watched of a dry run, the configuration of the exchange whose books it has */
export function screenOf(loaded: LoadedConfig, watched: LoadedConfig | undefined, isJson: boolean): RunScreen {
  const isTerminal = process.stderr.isTTY && !isJson;
  const beganAt = performance.now();
  let isShown = false;
  const textOf = (result: BotResult, kept: Kept): string => {
    isShown = true;
    return isJson ? `${JSON.stringify(jsonOf(result))}\n` : summaryOf(result, kept);
  };
  const ended = (result: BotResult, kept: Kept): void => void process.stdout.write(textOf(result, kept));
  return {
    isTerminal,
    begin: () => {
      if (isTerminal) process.stderr.write(startText(loaded, watched));
    },
    page: (url) => {
      if (isTerminal) process.stderr.write(`page: ${url}\n`);
    },
    ended,
    // whatever ended the run, what it sent is shown
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
