// Plays points of a parameter sweep in a child process, one after the other.
import type { PointJob } from '../src/sweep/point-run.ts';
import { playPoint } from '../src/sweep/point-run.ts';
import { serve } from './child.ts';

serve(async ({ jobs }: { readonly jobs: readonly PointJob[] }) => {
  const outcomes: string[] = [];
  for (const job of jobs) outcomes.push(JSON.stringify((await playPoint(job)).outcome));
  return outcomes;
});
