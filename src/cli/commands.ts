// The list of commands. Each is loaded when it is used, so that a command does not load what only others
// need.
import type { Command } from 'commander';

type Register = (command: Command, finish: (code: number) => void) => void;

export type CommandEntry = {
  readonly name: string;
  /** What follows the name, as `oddsmaker --help` shows it. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<Register>;
};

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    usage: '[options] <config>',
    summary: 'the bot',
    load: async () => (await import('./run.ts')).registerRun,
  },
  {
    name: 'exchange',
    usage: '[options]',
    summary: 'the paper exchange as a server',
    load: async () => (await import('./exchange.ts')).registerExchange,
  },
  {
    name: 'record',
    usage: '[options] <config>',
    summary: 'raw feeds to tapes',
    load: async () => (await import('./record.ts')).registerRecord,
  },
  {
    name: 'check',
    usage: '[options] <config>',
    summary: 'validate a configuration and print what is in force',
    load: async () => (await import('./check.ts')).registerCheck,
  },
  {
    name: 'backtest',
    usage: '[options] <config>',
    summary: 'strategies against tapes',
    load: async () => (await import('./backtest.ts')).registerBacktest,
  },
  {
    name: 'sweep',
    usage: '[options] [config]',
    summary: 'many settings against tapes, and whether the best is more than luck',
    load: async () => (await import('./sweep.ts')).registerSweep,
  },
  {
    name: 'worker',
    usage: '[options]',
    summary: 'plays points of sweeps from a queue',
    load: async () => (await import('./worker.ts')).registerWorker,
  },
  {
    name: 'fit-fills',
    usage: '[options] <tapes...>',
    summary: 'fit a model of how many vanished offers were taken, from recordings that show it',
    load: async () => (await import('./fit-fills.ts')).registerFitFills,
  },
  {
    name: 'price',
    usage: '[options] <file>',
    summary: 'what every line of each game is worth, from odds or from the exchange',
    load: async () => (await import('./price.ts')).registerPrice,
  },
  {
    name: 'fit-quotes',
    usage: '[options] <what...>',
    summary: 'fit how fast markets take quotes, and how far prices move against them, from runs',
    load: async () => (await import('./fit-quotes.ts')).registerFitQuotes,
  },
  {
    name: 'panic',
    usage: '[options] <config>',
    summary: 'cancel everything on the account',
    load: async () => (await import('./panic.ts')).registerPanic,
  },
  {
    name: 'alert',
    usage: '[options] <what> <config>',
    summary: 'test that alerts arrive',
    load: async () => (await import('./alert.ts')).registerAlert,
  },
  {
    name: 'guard',
    usage: '[options] <config>',
    summary: 'the watchdog: cancels everything when the bot hangs or dies',
    load: async () => (await import('./guard.ts')).registerGuard,
  },
  {
    name: 'ctl',
    usage: '[options] <config> <command> [args...]',
    summary: 'talk to a running bot: status, pause, resume, halt, cancel-all, settle, signal and more',
    load: async () => (await import('./ctl.ts')).registerCtl,
  },
  {
    name: 'report',
    usage: '[options] [what...]',
    summary: 'every figure of a backtest or of runs, as a page or as JSON',
    load: async () => (await import('./report.ts')).registerReport,
  },
  {
    name: 'compare',
    usage: '[options] <a> <b>',
    summary: 'two runs side by side: figures, and where their orders differ',
    load: async () => (await import('./compare.ts')).registerCompare,
  },
  {
    name: 'pnl',
    usage: '[options] <config>',
    summary: 'what the account earned, by day, game, market or strategy',
    load: async () => (await import('./pnl.ts')).registerPnl,
  },
  {
    name: 'gate',
    usage: '[options] <gate.yaml> <journals...>',
    summary: 'whether runs met thresholds that were set before they began: PASS, FAIL or KILL',
    load: async () => (await import('./gate.ts')).registerGate,
  },
  {
    name: 'import',
    usage: '[options] <from> <paths...>',
    summary: 'recordings of another exchange to tapes',
    load: async () => (await import('./import.ts')).registerImport,
  },
  {
    name: 'export',
    usage: '[options] <source>',
    summary: 'fills, orders, quotes, marks and books as Parquet or CSV',
    load: async () => (await import('./export.ts')).registerExport,
  },
  {
    name: 'tape',
    usage: '<what> <tapes...>',
    summary: 'show, cut and merge tapes',
    load: async () => (await import('./tape.ts')).registerTape,
  },
  {
    name: 'init',
    usage: '[dir]',
    summary: 'make a workspace: configuration, a strategy with its test',
    load: async () => (await import('./init.ts')).registerInit,
  },
  {
    name: 'new',
    usage: '[options] <what> <name>',
    summary: 'another strategy with its test, in a workspace',
    load: async () => (await import('./new.ts')).registerNew,
  },
  {
    name: 'dev',
    usage: '[options] <config>',
    summary: 'paper exchange, bot and status in one; saved strategies are reloaded',
    load: async () => (await import('./dev.ts')).registerDev,
  },
  {
    name: 'docs',
    usage: '[options]',
    summary: 'this documentation in a browser, with search, without a network',
    load: async () => (await import('./docs.ts')).registerDocs,
  },
  {
    name: 'schema',
    usage: '[options] [config]',
    summary: 'the configuration as a JSON schema, for editors',
    load: async () => (await import('./schema.ts')).registerSchema,
  },
  {
    name: 'replay',
    usage: '[options] <journal>',
    summary: 're-run a journal and compare every command',
    load: async () => (await import('./replay.ts')).registerReplay,
  },
  {
    name: 'view',
    usage: '[options] <journal>',
    summary: 'the page over a past run, with a slider over its time',
    load: async () => (await import('./view.ts')).registerView,
  },
  {
    name: 'conform',
    usage: '[options] <journal>',
    summary: "check a journal against the exchange's rules",
    load: async () => (await import('./conform.ts')).registerConform,
  },
  {
    name: 'events',
    usage: '[options] <journal|config>',
    summary: 'what happened in a run, one line an event',
    load: async () => (await import('./events.ts')).registerEvents,
  },
  {
    name: 'why',
    usage: '[options] <journal> <order>',
    summary: 'the whole story of one order, from a journal',
    load: async () => (await import('./why.ts')).registerWhy,
  },
];

/** The command that a command line runs or asks help for. Undefined when it names none. */
export function commandOf(argv: readonly string[]): CommandEntry | undefined {
  const [first, second] = argv.filter((arg) => !arg.startsWith('-'));
  const wanted = first === 'help' ? second : first;
  return COMMANDS.find(({ name }) => name === wanted);
}
