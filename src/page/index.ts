// What the page shows, out of a core and what a run's shell knows; and frames of it over a past run.
export { FrameReader, FrameWriter } from './frame-file.ts';
export { FrameMaker } from './frame-maker.ts';
export { LogTail } from './log-tail.ts';
export type { PageCore, ShellView, StrategyFile } from './page-view.ts';
export { PageView } from './page-view.ts';
