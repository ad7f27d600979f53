// Parses sizes on a disk (`500MB`, `20GB`). Decimal, as disks are sold.
const UNIT_BYTES = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** A size in bytes; undefined when the text is none. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB)$/i.exec(text.trim());
  const unit = match?.[2]?.toUpperCase() as keyof typeof UNIT_BYTES | undefined;
  return match?.[1] === undefined || unit === undefined ? undefined : Math.round(Number(match[1]) * UNIT_BYTES[unit]);
}
