// Makes the files that a user of this version has on disk, for the upgrade tests of later versions. It is run
// by hand, once for each version, before the first change of the next: npx node --conditions=oddsmaker-source
// test/upgrade/make.ts test/upgrade/v0.3 All data are synthetic. A paper exchange on loopback has four games.
// Bob makes the books and takes the offers of alice's bot.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import type { Row } from '../backtest/made-tape.ts';
import { MadeTape } from '../backtest/made-tape.ts';
import type { Exchange, Running } from '../support/children.ts';
import { cleanUp, SHORT_WINDOWS, ROOT, run, start, startExchange, countsOf } from '../support/children.ts';

/**
 * The files name the folder and host where they were made. These neutral names reveal nothing about the
 * machine.
 */
const FOLDER = '/tmp/om';
const HOST = 'bot-host';
const target = process.argv[2];
if (target === undefined) throw new Error('expected the folder of the version, such as test/upgrade/v0.3');
const into = resolve(target);
if (existsSync(into)) throw new Error(`${into} exists, and only its own version could make it again`);

const NEUTRAL_HOST =
  `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; ` +
  `os.hostname = () => '${HOST}'; syncBuiltinESMExports();`;
process.env['NODE_OPTIONS'] = `--import=data:text/javascript,${encodeURIComponent(NEUTRAL_HOST)}`;
process.env['XDG_CACHE_HOME'] = join(FOLDER, 'cache');
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
process.chdir(FOLDER);
cpSync(join(ROOT, 'test/upgrade/fixed.ts'), 'fixed.ts');

type Side = 'home' | 'away' | 'over' | 'under';
type Bet = {
  readonly game: string;
  readonly type: 'moneyline' | 'spread' | 'total';
  readonly side: Side;
  /** The line from the view of the side. */
  readonly number?: number;
  readonly risk: number;
};

const exchange = await startExchange(
  ...['--traders', 'none', '--games', '1', '--state', 'exchange.state'],
  ...['--account', 'alice:secret'],
);
process.on('uncaughtException', (error) => {
  console.error(error);
  void cleanUp.afterFile().then(() => process.exit(1));
});
await admin('/accounts', { username: 'bob', password: 'secret', exempt: true });
const bob = await login(exchange);

const bulls = await game('NBA', 'basketball', ['Bay City Bulls', 'Hill Town Hawks'], -3, 200);
const rovers = await game('EPL', 'soccer', ['Lake Rovers', 'River United'], -0.5, 2.75);
const pilots = await game('NBA', 'basketball', ['Port Pilots', 'Dale Dukes'], -1.5, 180.5);
const miners = await game('NBA', 'basketball', ['Mesa Miners', 'Coast Comets'], -4.5, 210.5);

await books(bulls, -3, 200);
await books(rovers, -0.5, 2.75);
await books(pilots, -1.5, 180.5);
// the game of the miners has no other offers, so that its price is unknown

writeFileSync('bot.yaml', yamlOf(exchange));

// the first run fills in two games, one of them graded, and is stopped in order
const first = start(['run', 'bot.yaml', '--json']);
await quoted(first);
await filled(first, { game: bulls, type: 'moneyline', side: 'home', risk: 55 }, 1);
await filled(first, { game: bulls, type: 'spread', side: 'home', number: -3, risk: 44 }, 2);
await filled(first, { game: bulls, type: 'total', side: 'under', number: 200, risk: 22 }, 3);
await filled(first, { game: rovers, type: 'moneyline', side: 'away', risk: 33 }, 4);
await filled(first, { game: rovers, type: 'total', side: 'under', number: 2.75, risk: 44 }, 5);
await ended(bulls);
await admin(`/games/${bulls}/grade`, { home: 101, away: 98 });
await until('the game is settled', () => count('settlements') === 3);
await stop(first);

// the second run has more fills, a game that an operator settles and a halt, and is killed
const second = start(['run', 'bot.yaml', '--json']);
await quoted(second);
await filled(second, { game: pilots, type: 'moneyline', side: 'home', risk: 27.5 }, 6);
await filled(second, { game: miners, type: 'moneyline', side: 'away', risk: 11 }, 7);
await ended(pilots);
await ctl('settle', pilots, '88-90', '--yes');
await until('the game is settled by hand', () => count('settlements') === 4);
await ctl('halt');
await until('nothing is open', async () => (await countsOf(exchange, 'alice')).openOrders === 0);
await until('the halt is stored', () => readFileSync('run/alice.standing', 'utf8').includes('halted'));
second.child.kill('SIGKILL');
await second.ended;

// three goals win half of a bet on over 2.75
const results = { [bulls]: { home: 101, away: 98 }, [rovers]: { home: 2, away: 1 } };
writeFileSync('results.json', `${JSON.stringify(results, null, 2)}\n`);
const PLAYED = ['--tape', 'tapes', '--results', 'results.json'];
await done(['backtest', 'bot.yaml', ...PLAYED, '--fills', 'all', '--orders', '--out', 'backtest']);
await done(['fit-fills', labelledTape(), '--out', 'fill-model.json']);
await cleanUp.afterFile();
keep();

function yamlOf({ restUrl, socketUrl }: Exchange): string {
  return [
    'exchange:',
    `  restUrl: ${restUrl}`,
    `  socketUrl: ${socketUrl}`,
    '  username: alice',
    '  password: secret',
    '  playerMode: coins',
    SHORT_WINDOWS,
    'markets: { leagues: [NBA, EPL], types: [moneyline, spread, total], lines: all }',
    'strategies:',
    '  - { use: ./fixed.ts, id: fixed, params: { risk: 50, odds: 105 } }',
    'risk: { maxGameLoss: 500, maxTotalLoss: 2000, maxDailyLoss: 1000 }',
    'journal: { dir: ./run }',
    'ledger: { file: ./run/ledger.db }',
    'record: { dir: ./tapes }',
    'ops: { port: 0 }',
    '',
  ].join('\n');
}

async function post(url: string, body: unknown, token?: string): Promise<unknown> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: token }) },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} ${reply.status}: ${text}`);
  return JSON.parse(text);
}

function admin(path: string, body: unknown): Promise<unknown> {
  return post(exchange.adminUrl + path, body);
}

async function login({ restUrl }: Exchange): Promise<string> {
  const reply = await post(`${restUrl}/user/login`, { username: 'bob', password: 'secret' });
  return (reply as { readonly data: { readonly user: { readonly auth: string } } }).data.user.auth;
}

async function game(
  league: string,
  sport: string,
  [home, away]: readonly [string, string],
  mainHomeSpread: number,
  mainTotal: number,
): Promise<string> {
  const made = await admin('/games', {
    league,
    sport,
    home: { name: home },
    away: { name: away },
    mainHomeSpread,
    mainTotal,
    start: new Date(Date.now() + 7_200_000).toISOString(),
  });
  return (made as { readonly id: string }).id;
}

async function place({ game, type, side, number, risk }: Bet, odds: number, orderType: string): Promise<void> {
  const isTotal = side === 'over' || side === 'under';
  const order = {
    gameID: game,
    type,
    side: isTotal ? side : `${game}-${side}`,
    odds,
    risk,
    orderType,
    ...(number === undefined ? {} : { number }),
  };
  await post(`${exchange.restUrl}/session/v2/place`, { orders: [order] }, bob);
}

/** Places bob's offers behind those of the bot. They make the price. */
async function books(gameId: string, spread: number, total: number): Promise<void> {
  const sides: readonly Omit<Bet, 'game' | 'risk'>[] = [
    { type: 'moneyline', side: 'home' },
    { type: 'moneyline', side: 'away' },
    { type: 'spread', side: 'home', number: spread },
    { type: 'spread', side: 'away', number: -spread },
    { type: 'total', side: 'over', number: total },
    { type: 'total', side: 'under', number: total },
  ];
  for (const [index, side] of sides.entries())
    await place({ game: gameId, risk: 500, ...side }, index % 2 === 0 ? 116 : 112, 'post');
}

async function quoted(bot: Running): Promise<void> {
  await until('every market is quoted', async () => {
    if (bot.child.exitCode !== null) throw new Error(bot.output.stderr);
    const { openOrders } = await countsOf(exchange, 'alice');
    return openOrders >= 14;
  });
  // in a backtest of the tape requests need time, so its orders must rest before bob takes them
  await new Promise((resolved) => setTimeout(resolved, 2000));
}

/** Bob takes the bot's offer on the other side; resolves when the ledger has the fill. */
async function filled(bot: Running, bet: Bet, fills: number): Promise<void> {
  await place(bet, -110, 'fillAndKill');
  await until(`fill ${fills}`, () => {
    if (bot.child.exitCode !== null) throw new Error(bot.output.stderr);
    return count('fills') >= fills;
  });
}

async function ended(gameId: string): Promise<void> {
  await admin(`/games/${gameId}`, { live: true, start: new Date(Date.now() - 1000).toISOString() });
  await admin(`/games/${gameId}`, { open: false, ended: true });
}

async function stop(child: Running): Promise<void> {
  child.child.kill('SIGTERM');
  const { code, stderr } = await child.ended;
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
}

async function done(args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await run(args);
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}: ${stderr}`);
  console.log(`${args.join(' ')}\n${stdout}`);
}

/**
 * A tape on which offers appear and disappear at the top of a side. Every third one is shown as fully taken.
 */
function labelledTape(): string {
  const tape = new MadeTape().game(0).side(0, 'away', [{ id: 'away', odds: -130, risk: 100 }]);
  const deep: Row = { id: 'deep', odds: 140, risk: 500 };
  for (let n = 0; n < 240; n++) {
    const top: Row = { id: `top-${n}`, odds: 110, risk: 20 + (n % 7) * 10, made: n };
    tape.side(n + 1, 'home', [top, deep]);
    tape.side(n + 1.5, 'home', n % 3 === 0 ? [{ ...top, left: 0 }, deep] : [deep]);
  }
  return tape.write();
}

function ctl(...args: readonly string[]): Promise<void> {
  return done(['ctl', 'bot.yaml', ...args]);
}

/** The number of rows in a table of the ledger. */
function count(table: 'fills' | 'settlements'): number {
  const db = new DatabaseSync('run/ledger.db', { readOnly: true, timeout: 5000 });
  try {
    return Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows']);
  } finally {
    db.close();
  }
}

async function until(goal: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolved) => setTimeout(resolved, 200));
  }
  throw new Error(`not within a minute: ${goal}`);
}

/** Copies the files to the target folder, without those that a process needs only while it runs. */
function keep(): void {
  mkdirSync(into, { recursive: true });
  const db = new DatabaseSync('run/ledger.db');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const dropped = /ledger\.db|\.(sock|guard|page-token|svg|html)$|timing\.json$/;
  for (const name of ['bot.yaml', 'fixed.ts', 'results.json', 'fill-model.json', 'tapes', 'run', 'backtest'])
    cpSync(name, join(into, name), { recursive: true, filter: (from) => !dropped.test(from) });
  for (const file of ['run/ledger.db', 'exchange.state'])
    writeFileSync(join(into, `${file}.gz`), gzipSync(readFileSync(file), { level: 9 }));
  for (const file of readdirSync(into, { recursive: true })) console.log(String(file));
}
