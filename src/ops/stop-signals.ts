/** What ends a process that runs on, in order; a terminal that is closed hangs up. */
export const STOPPED_BY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves when a signal ends the process, or whoever started it with a channel is gone. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOPPED_BY) process.once(signal, () => resolve());
    if (process.send !== undefined) process.once('disconnect', () => resolve());
  });
}
