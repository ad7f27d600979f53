// A bot on the paper exchange with one ended game: its ledger and its page show the figures that `report`
// takes from its journal.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import { start } from '../support/children.ts';
import { ledgerScene, stop } from './fixtures.ts';
import { attributionIn, attributionOf, queryLedger, expectRow, reportOf } from './report-figures.ts';

type Attribution = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

it('the ledger, the page and the report show the same figures of settled, closed and open fills', async () => {
  const { config, ledger, venue, admin, ctl, count, rows, change } = await ledgerScene();
  change(/^ops: .*$/m, 'ops: { port: 0, token: open-sesame }');
  const bot = start(['run', config]);
  const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
  await eventually('the ledger has fills', () => count('fills') >= 6, 60_000);
  const played = rows('SELECT game_id FROM fills WHERE market IS NOT NULL LIMIT 1')[0]?.['game_id'];
  const game = venue.games.find(({ id }) => id === played);
  if (game === undefined) throw new Error('the game of the fill is unknown');
  // the start of the game closes its prices
  await admin('POST', `/games/${game.id}`, { live: true });
  await sleep(1000);
  await admin('POST', `/games/${game.id}`, { ended: true });
  await eventually('the game may be settled', async () => (await ctl('settle', game.id, '100-90', '--yes')).code === 0);
  await eventually('the game is settled', () => count('settlements') >= 1);
  expect((await ctl('pause')).code).toBe(0);
  // waits for fills in flight, and for the page, which updates its figures every other second
  await sleep(3000);
  const shown = await snapshot(url);
  expect((await stop(bot)).code).toBe(0);
  const runFolder = join(dirname(config), 'run');
  const [name = ''] = readdirSync(runFolder).filter((entry) => entry.endsWith('.ndjson.zst'));
  const journal = join(runFolder, name);

  const wanted = await attributionOf(journal);
  expect(wanted['league NBA']).toMatchObject({
    spread: expect.any(Number) as number,
    drift: expect.any(Number) as number,
    luck: expect.any(Number) as number,
    pnl: expect.any(Number) as number,
  });
  expect(attributionIn(ledger)).toEqual(wanted);
  const report = await reportOf(journal);
  expectRow(queryLedger(ledger, 'SELECT * FROM run_figures ORDER BY turn').at(-1), report);

  const { attribution, now } = shown;
  const parts = [...Object.entries(report.phases), ['sum', report] as const];
  for (const [phase, by, groups] of parts.flatMap(([phaseName, part]) =>
    Object.entries(part.attribution).map(([name, rows]) => [phaseName, name, rows] as const),
  ))
    expect(
      Object.values(attribution)
        .filter((row) => row['by'] === by && row['phase'] === phase)
        .sort((a, b) => Number(a['order']) - Number(b['order']))
        .map(({ by: _by, phase: _phase, order: _order, name: _name, ...row }) => row),
    ).toEqual(groups);
  const { figures } = now;
  const { identity } = report;
  expect(figures).toMatchObject({
    open: identity.open,
    unpriced: identity.unpriced,
    lost: 0,
    identity: { spread: identity.spread, drift: identity.drift, pnl: identity.pnl, fills: identity.fills },
    clv: { money: report.clv.dollars },
  });
}, 120_000);

it('the ledger settles a game within 10 s of its grade, however late the grade comes', async () => {
  const { config, venue, admin, count, rows } = await ledgerScene();
  const bot = start(['run', config]);
  await eventually('the ledger has fills', () => count('fills') >= 2, 60_000);
  const played = rows('SELECT game_id FROM fills WHERE market IS NOT NULL LIMIT 1')[0]?.['game_id'];
  const game = venue.games.find(({ id }) => id === played);
  if (game === undefined) throw new Error('the game of the fill is unknown');
  await admin('POST', `/games/${game.id}`, { live: true });
  await admin('POST', `/games/${game.id}`, { ended: true });
  await sleep(25_000);
  expect(count('settlements')).toBe(0);
  await admin('POST', `/games/${game.id}/grade`, { home: 100, away: 90 });
  await eventually('the ledger has the settlement', () => count('settlements') >= 1, 10_000);
  expect((await stop(bot)).code).toBe(0);
}, 150_000);

/** The first `snapshot` message of the page's stream. */
async function snapshot(url: string): Promise<{
  readonly attribution: Attribution;
  readonly now: { readonly figures: unknown };
}> {
  const { body } = await fetch(`${url}/api/stream`, {
    headers: { authorization: 'Bearer open-sesame' },
  });
  let text = '';
  for await (const part of body ?? []) {
    text += Buffer.from(part as Uint8Array).toString();
    const [, data] = /^event: snapshot\ndata: (.*)\n\n/m.exec(text) ?? [];
    // the return ends the stream
    if (data !== undefined) return JSON.parse(data) as Awaited<ReturnType<typeof snapshot>>;
  }
  throw new Error('the stream ended before its snapshot');
}
