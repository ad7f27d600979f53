// What a step of the wall clock means for the core. Game starts are wall time: while it is uncertain, no game is quoted that
// may have begun. Everything else goes by monotonic time, and does not notice.
import type { Input } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

type ClockNews = Extract<Input, { type: 'clock' }>;

const MESSAGES = {
  stepped: 'the wall clock was set: games that start within the step are not quoted until the exchange tells its time',
  differs: 'the wall clock is not the exchange’s: the time of the exchange counts from now on',
  anchored: 'the exchange told its time: the wall time is certain again',
} as const;

export function applyClock({ news, byMs, uncertainMs }: ClockNews, buffer: CommandBuffer, mirror: Mirror): void {
  buffer.uncertainMs = uncertainMs;
  const [level, code] =
    news === 'anchored' ? (['info', 'CLOCK_ANCHORED'] as const) : (['warn', 'CLOCK_STEPPED'] as const);
  buffer.alert(level, code, MESSAGES[news], { news, byMs, uncertainMs });
  // whether a market may be quoted is decided anew
  for (const { markets } of mirror.games.values()) for (const book of markets.values()) mirror.touched.add(book);
}
