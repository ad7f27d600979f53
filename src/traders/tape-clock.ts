// Venue time of a tape (docs/paper-exchange.md): t′ = T0 + (t − from) / speed. Served times use it, so an old
// game starts as long after the server's start as it did after `from`.

export type TapeClock = {
  readonly venueTime: (tapeMs: number) => number;
  readonly iso: (tapeMs: number) => string;
};

export function createTapeClock(t0Ms: number, fromMs: number, speed: number): TapeClock {
  const venueTime = (tapeMs: number): number => t0Ms + (tapeMs - fromMs) / speed;
  return { venueTime, iso: (tapeMs) => new Date(Math.round(venueTime(tapeMs))).toISOString() };
}
