// The bot process: adapters around the core, files, page, hot reload, dry runs, the embedded exchange.
export { BotMemory } from './bot-memory.ts';
export { openPage } from './bot-page.ts';
export type { RecordedFiles } from './bot-records.ts';
export { teamsOf } from './bot-signals.ts';
export { Bot } from './bot.ts';
export { dryOf } from './dry-exchange.ts';
export { ACCOUNT_VARIABLE, embeddedFor, targetOf } from './embedded.ts';
export type { EditedParams } from './hot-reload.ts';
export { HotReload, withEdited } from './hot-reload.ts';
export { PastShell } from './past-shell.ts';
export { recorderFor, tape, tapesOf } from './recorder.ts';
export { StrategyWatch } from './strategy-watch.ts';
export { watchLoop } from './stuck-loop.ts';
export { explainOrder } from './explain-order.ts';
export { Watcher } from './watcher.ts';
export { probe } from './probe.ts';
export type { RunOptions, RunScreen } from './run-bot.ts';
export { runBot } from './run-bot.ts';
