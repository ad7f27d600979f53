// What `oddsmaker run` does: checks its flags against the configuration, and runs the bot.
import { resolve } from 'node:path';
import type { GateMark, LoadedConfig, Overrides } from '../config/index.ts';
import { loadConfig, loadGate } from '../config/index.ts';
import type { EditedParams, RunOptions } from '../live/index.ts';
import { dryOf, runBot, withEdited } from '../live/index.ts';
import { StandingFile } from '../ops/index.ts';
import { missingForRun, runFilesOf } from '../setup/index.ts';
import { demandPaths } from './gate-paths.ts';
import { screenOf } from './run-screen.ts';

export type RunFlags = {
  readonly tape: readonly string[];
  readonly from?: string;
  readonly speed?: number;
  readonly for?: number;
  readonly json?: true;
  readonly dayLoss?: number;
  readonly gate?: string;
  readonly dry?: true;
  readonly envFile?: string;
};

/**
 * @param beside started with the bot; the function that it returns is called at the end. Only an embedded
 * exchange is allowed then.
 */
export async function run(
  file: string,
  flags: RunFlags,
  misused: (problem: string) => never,
  beside?: RunOptions['beside'],
): Promise<number> {
  const real = loadFor(file, flags, misused);
  const isDry = flags.dry === true;
  const written = isDry ? dryOf(real) : real;
  // changes by the operator apply before the first request
  const edited = keptParams(written);
  const loaded = edited === undefined ? written : { ...written, config: withEdited(written.config, edited) };
  if (beside !== undefined) demandEmbedded(loaded);
  if (isDry && overridesOf(flags).length > 0)
    misused('--dry has the books of the real exchange: --tape, --from and --speed are for an embedded one');
  if (flags.from !== undefined && loaded.config.exchange.embedded?.tapes.length === 0)
    misused('--from needs a tape, from --tape or exchange.embedded.tapes');
  if (flags.dayLoss !== undefined && loaded.config.exchange.embedded !== undefined)
    misused('--day-loss is for an exchange that is not embedded');
  demandDayLimit(loaded);
  const watched = isDry ? real : undefined;
  return runBot({
    file,
    loaded,
    edited,
    watched,
    beside,
    read: () => {
      const next = loadConfig(file, process.env, overridesOf(flags));
      return isDry ? dryOf(next) : next;
    },
    gate: flags.gate === undefined ? undefined : gateFor(loaded, flags.gate),
    forMs: flags.for,
    dayLoss: flags.dayLoss,
    envFile: flags.envFile,
    screen: screenOf(loaded, watched, flags.json === true),
  });
}

/** Parameters that an operator changed during a former run. Undefined when there are none. */
function keptParams(loaded: LoadedConfig): EditedParams | undefined {
  const ids = new Set(loaded.config.strategies.map(({ id }) => id));
  const { params } = new StandingFile(runFilesOf(loaded).standing).state;
  const kept = Object.entries(params ?? {}).filter(([id]) => ids.has(id));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Loads the configuration. --tape, --from and --speed are refused when the exchange is not embedded. */
function loadFor(file: string, flags: RunFlags, misused: (problem: string) => never): LoadedConfig {
  const overrides = overridesOf(flags);
  try {
    return loadConfig(file, process.env, overrides);
  } catch (error) {
    if (overrides.length > 0 && namesExchange(file))
      misused(
        `--tape, --from and --speed are for an embedded exchange: ${file} connects to another one (exchange.restUrl)`,
      );
    throw error;
  }
}

function namesExchange(file: string): boolean {
  try {
    return loadConfig(file, process.env).config.exchange.restUrl !== undefined;
  } catch {
    return false;
  }
}

function overridesOf(flags: RunFlags): Overrides {
  const set = (key: string, value: unknown): Overrides =>
    value === undefined ? [] : [{ path: ['exchange', 'embedded', key], value }];
  return [
    ...set('tapes', flags.tape.length === 0 ? undefined : flags.tape.map((tape) => resolve(tape))),
    ...set('traders', flags.tape.length === 0 ? undefined : 'tape'),
    ...set('from', flags.from),
    ...set('speed', flags.speed),
  ];
}

/** Refuses `dev` with an account that has money. */
function demandEmbedded({ config, problem }: LoadedConfig): void {
  if (config.exchange.embedded === undefined)
    throw problem(
      ['exchange'],
      'dev works on the paper exchange: it needs exchange.embedded, and never touches another one',
    );
}

/** rules.md, 14: a daily loss limit is required when money is at stake. */
function demandDayLimit(loaded: LoadedConfig): void {
  const missing = missingForRun(loaded);
  if (missing !== undefined) throw missing;
}

/** @throws OddsmakerError CONFIG_INVALID */
function gateFor(loaded: LoadedConfig, file: string): GateMark {
  if (loaded.config.journal.dir === null)
    throw loaded.problem(['journal', 'dir'], 'a gate is judged by the journals of its runs: keep one');
  const { gate, mark } = loadGate(file);
  demandPaths(file, gate);
  return mark;
}
