// File helpers for all rooms: private folders, drafts that are removed when a process ends, file names by
// time.
export { cacheFolder } from './cache-folder.ts';
export type { DiskReport } from './disk-report.ts';
export { asSystemError } from './disk-report.ts';
export { dropAtExit } from './drafts.ts';
export { makeFolder } from './folder.ts';
export type { JsonDifference } from './json-difference.ts';
export { jsonDifferences } from './json-difference.ts';
export { MANIFEST, VERSION } from './manifest.ts';
export { isSource, OWN_CODE, ownModule, ROOT } from './own-code.ts';
export { sourcePlaceOf, stackText } from './stack-text.ts';
export { isStamped, stampedName } from './stamped-name.ts';
export { FrameFollower } from './zstd-frames.ts';
