// Durations of the CLI and the YAML file: `250ms`, `5s`, `10m`, `2h`.
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds, or undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const unit = match?.[2] as keyof typeof UNIT_MS | undefined;
  return match?.[1] === undefined || unit === undefined ? undefined : Number(match[1]) * UNIT_MS[unit];
}

/** Where a tape starts: an ISO time with its zone, or an offset from its first line. */
export const isTapeStart = (text: string): boolean =>
  parseDuration(text) !== undefined || (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)));
