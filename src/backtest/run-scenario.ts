// Plays the events of tapes through one scenario of a backtest, with yields to the event loop.
import { Replay } from './replay.ts';
import { LoopYield } from './loop-yield.ts';
import type { MarketSource } from './market-source.ts';
import type { BacktestOptions, ScenarioRun } from './scenario-types.ts';
import { limitYoungGeneration } from './young-generation.ts';

const PROGRESS_EVERY = 2000;
/**
 * Events between two event-loop yields. Most events are already read, and a yield for each would cost more
 * than the event.
 */
const YIELD_EVERY = 8;
/** Events between two looks at the size of the young generation: some megabytes of garbage. */
const LIMIT_EVERY = 128;
/**
 * A longer silence of the tapes is played in pieces with a yield after each: there may be years between two
 * tapes.
 */
const SILENCE_MS = 6 * 3_600_000;

/** @throws OddsmakerError TAPE_INVALID, from the source */
export async function runScenario(source: MarketSource, options: BacktestOptions): Promise<ScenarioRun> {
  source.foresees = options.fills !== 'pessimistic';
  let event = await source.take();
  if (event === undefined) return new Replay(0, options).endRun();
  const replay = new Replay(event.ts, options);
  const { journal } = options;
  const loopYield = new LoopYield();
  const yieldToLoop = async (): Promise<void> => {
    if (journal !== undefined) await journal.ready();
    await loopYield.yieldIfDue();
  };
  for (let count = 1; event !== undefined; count++) {
    const untilMs = Math.min(event.ts, options.toMs ?? event.ts);
    while (untilMs - replay.nowMs > SILENCE_MS && !replay.isOver) {
      replay.wait(replay.nowMs + SILENCE_MS);
      options.onProgress?.({ frames: count, atMs: replay.nowMs });
      await yieldToLoop();
    }
    if (options.toMs !== undefined && event.ts >= options.toMs) {
      source.putBack(event);
      replay.passTo(options.toMs);
      break;
    }
    replay.applyEvent(event);
    if (replay.isOver) break;
    if (count % LIMIT_EVERY === 0) limitYoungGeneration();
    if (count % PROGRESS_EVERY === 0) options.onProgress?.({ frames: count, atMs: event.ts });
    if (count % YIELD_EVERY === 0) {
      await yieldToLoop();
      // how far a source has read depends on how the tape is stored: refill here, so that no await falls
      // between two yields
      if (source.isLow(YIELD_EVERY)) await source.fill();
    }
    event = source.next() ?? (await source.take());
  }
  return replay.endRun();
}
