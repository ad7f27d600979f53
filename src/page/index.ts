// Builds what the page shows from a core and the state of the process, and stores frames of a past run.
export { FrameReader, FrameWriter } from './frame-file.ts';
export { FrameMaker } from './frame-maker.ts';
export { LogTail } from './log-tail.ts';
export type { PageCore, ShellView, StrategyFile } from './page-view.ts';
export { PageView } from './page-view.ts';
