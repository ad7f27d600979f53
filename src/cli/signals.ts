/** What ends a process that runs on, in order; a terminal that is closed hangs up. */
export const STOPPED_BY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
