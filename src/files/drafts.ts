// What is being written and is not whole yet: an end of the process, in whatever way it comes to one, takes it away.
const drops = new Set<() => void>();
const dropAll = (): void => {
  for (const drop of drops) drop();
};

/** `drop` is called when the process ends, unless what this returns was called before. */
export function dropAtExit(drop: () => void): () => void {
  if (drops.size === 0) process.on('exit', dropAll);
  drops.add(drop);
  return () => {
    drops.delete(drop);
    if (drops.size === 0) process.off('exit', dropAll);
  };
}
