// A run that is over: any moment of it is asked for, the newest wish first, and played on.
import { signal } from '@preact/signals';
import { route } from './parts/route.ts';
import { past, runTime, showFrame } from './stream.ts';
import type { Frame } from './wire.ts';

const TURN_MS = 250;
export const SPEEDS = [1, 10, 60, 600] as const;

export const speed = signal<number>(10);
export const isPlaying = signal(false);
/** Why the moment that was asked for is not shown. */
export const problem = signal<string | undefined>(undefined);
/** Of the frames around the one that is shown. */
const around = signal<Pick<Frame, 'before' | 'after'>>({ before: null, after: null });

type Wish = { readonly at: number; readonly step: number };
let wanted: Wish | undefined;
let isAsking = false;

/** `step`: so many frames behind or before the one of that time. */
export function seek(at: number, step = 0): void {
  wanted = { at, step };
  if (!isAsking) void ask();
}

async function ask(): Promise<void> {
  isAsking = true;
  while (wanted !== undefined) {
    const { at, step } = wanted;
    wanted = undefined;
    const { id } = route.peek();
    const market = id === undefined ? '' : `&market=${encodeURIComponent(id)}`;
    try {
      const response = await fetch(`/api/frame?at=${at}&step=${step}${market}`);
      const told = (await response.json()) as Frame & { readonly error?: { readonly message: string } };
      problem.value = told.error?.message;
      if (told.error !== undefined) continue;
      around.value = { before: told.before, after: told.after };
      showFrame(told);
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

/** The next or the former fill or alert. */
export function jump(by: 1 | -1): void {
  isPlaying.value = false;
  const now = runTime.peek();
  const times = (past.peek()?.marks ?? []).map(([t]) => t).sort((a, b) => a - b);
  // a mark is seen in the first frame behind it
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
  // quiet times between two frames are not sat through
  seek(Math.max(after, now + TURN_MS * speed.peek()));
}, TURN_MS);
