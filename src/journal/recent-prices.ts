// Reads from the journals of former runs the fair prices of quoted markets since a time. A journal has a point for
// each change, at most one every ten seconds.
import type { MarketId, MarketPast } from '../domain/index.ts';
import { isSameAccount, marketNamed } from '../domain/index.ts';
import { journalsOf, ownerOf } from './last-requests.ts';
import { isCutOff, unpackedLines } from './unpacked.ts';

const SAMPLE = '"type":"Sample"';
/** The line of an input; its events follow on the next one. */
const INPUT = /^\{"seq":\d+,"t":(-?\d+(?:\.\d+)?),/;
const INPUT_BYTES = 60;
/** The most prices of a market: a history keeps no more. */
const MOST_PRICES = 1000;

type Line = {
  readonly ev?: readonly { readonly type?: unknown; readonly markets?: unknown }[];
};

/**
 * @param sinceMs Unix ms
 * @returns the prices of each market, oldest first; journals that cannot be read have none
 */
export async function readRecentPrices(
  folder: string,
  username: string,
  sinceMs: number,
): Promise<readonly MarketPast[]> {
  const prices: Points = new Map();
  for (const { parts, changedMs } of await journalsOf(folder)) {
    if (changedMs < sinceMs) break;
    for (const { file } of parts) if (!(await addPrices(file, username, sinceMs, prices))) break;
  }
  return [...prices].map(([market, points]) => {
    points.sort(([a], [b]) => a - b);
    const first = points.length > MOST_PRICES ? points[0] : undefined;
    return { market, ...(first !== undefined && { since: first[0] }), prices: points.slice(-MOST_PRICES), takes: [] };
  });
}

type Points = Map<MarketId, [t: number, p: number][]>;

/** Adds the prices of a part, and those that stood at `sinceMs`. Returns false when earlier parts do not matter. */
async function addPrices(file: string, username: string, sinceMs: number, prices: Points): Promise<boolean> {
  let isFirst = true;
  let t = Number.NEGATIVE_INFINITY;
  const standing: Points = new Map();
  try {
    for await (const bytes of unpackedLines(file)) {
      if (isFirst) {
        if (!isSameAccount(ownerOf(parsed(bytes))?.username, username)) return false;
        isFirst = false;
        continue;
      }
      const [, time] = INPUT.exec(bytes.toString('latin1', 0, INPUT_BYTES)) ?? [];
      if (time !== undefined) t = Number(time);
      const { ev } = bytes.includes(SAMPLE) ? ((parsed(bytes) ?? {}) as Line) : {};
      if (!Array.isArray(ev)) continue;
      const into = t < sinceMs ? standing : prices;
      for (const { type, markets } of ev) if (type === 'Sample' && Array.isArray(markets)) addRows(markets, t, into);
    }
  } catch (error) {
    // the part is gone, or was packed until a kill
    if (!isCutOff(error)) return false;
  }
  for (const [id, points] of standing) {
    const p = points.at(-1)?.[1];
    const known = prices.get(id) ?? [];
    // a later part may have shown what stood then
    if (p !== undefined && !known.some(([t]) => t === sinceMs)) prices.set(id, [[sinceMs, p], ...known]);
  }
  return standing.size === 0;
}

function addRows(rows: readonly unknown[], t: number, prices: Points): void {
  for (const row of rows) {
    const { market, fair } = (row ?? {}) as { readonly market?: unknown; readonly fair?: unknown };
    if (typeof market !== 'string' || typeof fair !== 'number' || !(fair > 0 && fair < 1)) continue;
    const id = marketNamed(market)?.id;
    if (id === undefined) continue;
    const points = prices.get(id) ?? [];
    points.push([t, fair]);
    prices.set(id, points);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
