/** The signals that end a long-running process in order. A closed terminal sends SIGHUP. */
export const STOPPED_BY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves when a signal ends the process, or the parent that started it with an IPC channel is gone. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOPPED_BY) process.once(signal, () => resolve());
    if (process.send !== undefined) process.once('disconnect', () => resolve());
  });
}
