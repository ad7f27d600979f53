// A disk report for tests that expect no disk problem: it throws.
import type { DiskReport } from '../../src/files/disk-report.ts';

export const GOOD_DISK: DiskReport = {
  problem: (message) => {
    throw new Error(message);
  },
  resumed: (message) => {
    throw new Error(message);
  },
};
