// The text of `sweep --status`: the queues and their workers.
import type { ExitCode } from '../domain/index.ts';
import { EXIT, printable } from '../domain/index.ts';
import { RedisLink, queueStatus } from '../sweep/queue/index.ts';
import type { QueueStatus } from '../sweep/queue/index.ts';
import { aligned } from '../terminal/index.ts';

/** @throws OddsmakerError QUEUE_* */
export async function showStatus(redis: string, waitMs: number, isJson: boolean): Promise<ExitCode> {
  const link = new RedisLink(redis, waitMs);
  try {
    const risk = await link.risk();
    if (risk !== undefined) process.stderr.write(`oddsmaker: ${risk}\n`);
    const status = await queueStatus(link);
    process.stdout.write(isJson ? `${JSON.stringify({ schema: 1, ...status })}\n` : statusText(status, Date.now()));
    return EXIT.done;
  } finally {
    link.close();
  }
}

function statusText({ sweeps, workers }: QueueStatus, now: number): string {
  return [
    ...(sweeps.length === 0
      ? ['no sweep']
      : aligned([
          ['sweep', 'config', 'points', 'waiting', 'running', 'not yet taken', 'since', 'version'],
          ...sweeps.map(({ id, name, points, waiting, running, untaken, since, version }) => [
            ...[id, name, String(points), String(waiting), String(running), String(untaken)],
            ...[agoText(now - since), version],
          ]),
        ])),
    '',
    ...(workers.length === 0
      ? ['no worker']
      : aligned([
          ['worker', 'threads', 'running', 'played', 'points a minute', 'since', 'version'],
          ...workers.map(({ id, threads, running, played, since, version }) => [
            ...[id, String(threads), String(running), String(played)],
            ...[((60_000 * played) / Math.max(1, now - since)).toFixed(1), agoText(now - since), version],
          ]),
        ])),
    ...sweeps.flatMap(({ id, refusals }) =>
      Object.entries(refusals).map(([worker, why]) => `worker ${worker} takes no point of sweep ${id}: ${why}`),
    ),
    '',
  ]
    .map(printable)
    .join('\n');
}

const agoText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};
