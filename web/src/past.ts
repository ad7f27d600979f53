// The view of a past run: any of its frames can be requested, and the run can be played.
import { signal } from '@preact/signals';
import { route } from './parts/route.ts';
import { past, runTime, showFrame } from './stream.ts';
import type { Frame } from './wire.ts';

const TURN_MS = 250;
export const SPEEDS = [1, 10, 60, 600] as const;

export const speed = signal<number>(10);
export const isPlaying = signal(false);
/** Why the requested frame is not shown. */
export const problem = signal<string | undefined>(undefined);
/** The times of the frames before and after the shown one. */
const around = signal<Pick<Frame, 'before' | 'after'>>({ before: null, after: null });

type Wish = { readonly t: number; readonly step: number };
let wanted: Wish | undefined;
let isAsking = false;

/** Shows the frame of a time, or the one `step` frames after it (before it, when negative). */
export function seek(t: number, step = 0): void {
  wanted = { t, step };
  if (!isAsking) void ask();
}

async function ask(): Promise<void> {
  isAsking = true;
  while (wanted !== undefined) {
    const { t, step } = wanted;
    wanted = undefined;
    const { id } = route.peek();
    const market = id === undefined ? '' : `&market=${encodeURIComponent(id)}`;
    try {
      const response = await fetch(`/api/frame?at=${t}&step=${step}${market}`);
      const frame = (await response.json()) as Frame & { readonly error?: { readonly message: string } };
      problem.value = frame.error?.message;
      if (frame.error !== undefined) continue;
      around.value = { before: frame.before, after: frame.after };
      showFrame(frame);
    } catch {
      problem.value = 'oddsmaker view does not answer: was it stopped?';
      isPlaying.value = false;
    }
  }
  isAsking = false;
}

export function step(by: 1 | -1): void {
  isPlaying.value = false;
  seek(runTime.peek(), by);
}

/** Jumps to the next or previous fill or alert. */
export function jump(by: 1 | -1): void {
  isPlaying.value = false;
  const now = runTime.peek();
  const times = (past.peek()?.marks ?? []).map(([t]) => t).sort((a, b) => a - b);
  // a mark appears in the first frame after it
  const before = around.peek().before ?? Number.NEGATIVE_INFINITY;
  const next = by > 0 ? times.find((t) => t > now) : times.findLast((t) => t < before);
  if (next !== undefined) seek(next, 1);
}

export function play(): void {
  isPlaying.value = !isPlaying.value;
}

setInterval(() => {
  const run = past.peek();
  if (!isPlaying.peek() || run === undefined || isAsking) return;
  const [now, { after }] = [runTime.peek(), around.peek()];
  if (after === null) {
    isPlaying.value = false;
    return;
  }
  // skips quiet times between two frames
  seek(Math.max(after, now + TURN_MS * speed.peek()));
}, TURN_MS);
