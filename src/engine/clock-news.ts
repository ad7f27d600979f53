// Applies a step of the wall clock. Game starts are wall time: while it is uncertain, no game that may have
// begun is quoted. Everything else uses monotonic time and is not affected.
import type { Input } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

type ClockNews = Extract<Input, { type: 'clock' }>;

const MESSAGES = {
  stepped:
    'the wall clock was set: games that start within the step are not quoted until the exchange confirms the time',
  differs: 'the wall clock differs from the time of the exchange: the bot uses the time of the exchange from now on',
  anchored: 'the exchange sent its time: the wall time is certain again',
} as const;

export function applyClock({ news, byMs, uncertainMs }: ClockNews, buffer: CommandBuffer, mirror: Mirror): void {
  buffer.uncertainMs = uncertainMs;
  const [level, code] =
    news === 'anchored' ? (['info', 'CLOCK_ANCHORED'] as const) : (['warn', 'CLOCK_STEPPED'] as const);
  buffer.alert(level, code, MESSAGES[news], { news, byMs, uncertainMs });
  // decide again for all markets whether they may be quoted
  for (const { markets } of mirror.games.values()) for (const book of markets.values()) mirror.touched.add(book);
}
