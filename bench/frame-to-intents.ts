// Frames → intents through the whole core (parse, mirror, strategy, controls, planning, commands) against
// JSON.parse of the same payloads, with every read and request answered. It uses the recorded NBA game when
// that lies beside the project, otherwise a generated tape.
import type { Arrival, Command } from '../src/domain/index.ts';
import { Core } from '../src/engine/index.ts';
import { coreSettings } from '../test/support/core-driver.ts';
import { Decoder, DEFAULT_PROFILE } from '../src/wire/index.ts';
import { Answering } from './answering.ts';
import type { Row } from './run.ts';
import { median, quantile } from './statistics.ts';
import type { Frame } from './tape-frames.ts';
import { loadFrames } from './tape-frames.ts';

const WARM_UP = 2;
const ROUNDS = 7;

export async function frameToIntents(): Promise<readonly Row[]> {
  const { frames, source } = await loadFrames();
  const parses: number[][] = [];
  const steps: number[][] = [];
  let detail = '';
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const parsed = timeParse(frames);
    const stepped = timeCore(frames);
    if (round < WARM_UP) continue;
    parses.push(parsed.each);
    steps.push(stepped.each);
    const { placed, edited, cancelled } = stepped.counts;
    detail = `${source}: parse ${perSecond(frames, parsed.totalMs)}, core ${perSecond(frames, stepped.totalMs)} frames/s, ${stepped.intents} intents, ${placed} placed, ${edited} edited, ${cancelled} cancelled`;
  }
  // every round takes the same steps: the median over the rounds of each payload, divided by the median of
  // its parses
  const ratios = frames.map((_frame, index) => ofPayload(steps, index) / ofPayload(parses, index));
  const each = `a ratio for each of ${frames.length} payloads, medians of ${ROUNDS} rounds`;
  return [
    {
      what: 'frame → intents with requests answered, p50 ÷ parse of that payload',
      ratios: [median(ratios)],
      goal: '<= 0.6',
      detail: `${each}; ${detail}`,
    },
    {
      what: 'frame → intents with requests answered, p99 ÷ parse of that payload',
      ratios: [quantile(ratios, 0.99)],
      goal: '<= 2',
      detail: each,
    },
  ];
}

const ofPayload = (rounds: readonly number[][], index: number): number =>
  median(rounds.map((each) => each[index] ?? Number.NaN));

const perSecond = (frames: readonly Frame[], ms: number): string =>
  Math.round((frames.length / ms) * 1000).toLocaleString('en');

type Timed = { totalMs: number; readonly each: number[] };

function timeParse(frames: readonly Frame[]): Timed {
  const each: number[] = [];
  let kept: unknown;
  for (const { data } of frames) {
    const from = performance.now();
    kept = JSON.parse(data);
    each.push(performance.now() - from);
  }
  if (kept === undefined) throw new Error('nothing was parsed');
  return { totalMs: each.reduce((sum, ms) => sum + ms, 0), each };
}

function timeCore(
  frames: readonly Frame[],
): Timed & { readonly intents: number; readonly counts: Answering['counts'] } {
  const core = new Core(coreSettings({ markets: { live: true } }), { reportAsync: () => undefined });
  const from = frames[0]?.ts ?? 0;
  let seq = 0;
  let t = from;
  let wakeAt = Number.POSITIVE_INFINITY;
  const decoder = new Decoder(DEFAULT_PROFILE);
  const step = (arrival: Arrival): readonly Command[] => {
    seq += 1;
    const mono = t - from + 1;
    const { commands } = core.step({ seq, t, mono, in: decoder.inputOf(arrival) });
    decoder.applyCommands(commands, mono);
    for (const command of commands) if (command.type === 'wake') wakeAt = command.at;
    return commands;
  };
  const exchange = new Answering(step);
  /** Ticks that the timer of a live bot would send between frames. */
  const tickTo = (until: number): void => {
    while (wakeAt <= until) {
      t = from + wakeAt - 1;
      wakeAt = Number.POSITIVE_INFINITY;
      exchange.apply(step({ type: 'tick' }));
    }
  };
  for (const arrival of START) exchange.apply(step(arrival));
  const each: number[] = [];
  for (const { ts, event, data } of frames) {
    tickTo(ts - from + 1);
    t = ts;
    exchange.grant(t - from + 1);
    const began = performance.now();
    const commands = step({ type: 'frame', feed: 'prices', epoch: 1, event, data });
    each.push(performance.now() - began);
    exchange.apply(commands);
  }
  const { intents, closed } = core.status();
  const { counts } = exchange;
  if (intents < frames.length / 2 || counts.placed + counts.edited < frames.length / 100)
    throw new Error(
      `${intents} intents and ${counts.placed + counts.edited} orders for ${frames.length} frames (${closed ?? 'quoting'}): the benchmark does not measure quoting`,
    );
  return { totalMs: each.reduce((sum, ms) => sum + ms, 0), each, intents, counts };
}

const START: readonly Arrival[] = [
  { type: 'boot', run: 'bench' },
  { type: 'session', username: 'u', userId: 'u', mode: 'coins', balance: 10_000 },
  { type: 'feed', feed: 'user', status: 'up', epoch: 1 },
  { type: 'feed', feed: 'prices', status: 'up', epoch: 1 },
];
