// Deletes unfinished files when the process ends, however it ends, except by kill -9.
const drops = new Set<() => void>();
const dropAll = (): void => {
  for (const drop of drops) drop();
};

/** Calls `drop` when the process ends. Returns a function that cancels this. */
export function dropAtExit(drop: () => void): () => void {
  if (drops.size === 0) process.on('exit', dropAll);
  drops.add(drop);
  return () => {
    drops.delete(drop);
    if (drops.size === 0) process.off('exit', dropAll);
  };
}
