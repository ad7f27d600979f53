// The main file of a sweep thread: it plays one point after the other.
import type { PointDone, PointJob } from './point-run.ts';
import { playPoint } from './point-run.ts';
import { inThread } from '../backtest/index.ts';

export const handle = inThread<PointJob, PointDone, number>(playPoint);
