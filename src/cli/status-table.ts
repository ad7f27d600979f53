// The text of `ctl status`: one row a fact. The bot may be of another version, so each field is checked
// before use.
import { moneyText, printable } from '../domain/index.ts';
import type { StrategyOff } from '../ops/index.ts';
import { offText } from '../ops/index.ts';

type Fields = Readonly<Record<string, unknown>>;

export function statusTable(status: Fields): string {
  const part = (key: string): Fields =>
    typeof status[key] === 'object' && status[key] !== null ? (status[key] as Fields) : {};
  const text = (value: unknown): string =>
    value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  const money = (value: unknown): string => (typeof value === 'number' ? moneyText(value) : '–');
  const feed = (key: string): string => {
    const age = part('ages')[key];
    const drops = (part('drops')[key] ?? 0) === 0 ? '' : `; lost ${text(part('drops')[key])} times`;
    if (part('feeds')[key] !== true) return `DOWN${drops}`;
    return `${typeof age === 'number' ? `up, last frame ${age.toFixed(1)} s ago` : 'up'}${drops}`;
  };
  const fence = part('fence');
  const requests = Object.entries(part('requests')).map(([kind, count]) => `${text(count)} ${kind}`);
  const answers = Object.entries(part('http')).map(
    // status 0: no answer came
    ([status, count]) => `${status === '0' ? 'none' : status} × ${text(count)}`,
  );
  const unreferenced = status['withoutReference'];
  const held = Object.entries(part('held')).map(
    ([control, slots]) =>
      `${text(slots)} by ${control}${
        control === 'price-band' && typeof unreferenced === 'number' && unreferenced > 0
          ? ` (${unreferenced} with no reference: see risk.bandWithout)`
          : ''
      }`,
  );
  const rows: readonly (readonly [string, string])[] = [
    ['account', `${text(status['account'])}, pid ${text(status['pid'])}, since ${text(status['startedAt'])}`],
    ['state', stateText(text(status['state']), reasonsIn(status))],
    [
      'fence',
      fence['when'] === undefined
        ? 'none'
        : `STANDS since ${text(fence['when'])}: ${text(fence['why'])}; \`ctl <config> resume\` lifts it`,
    ],
    [
      'guard',
      `${status['guard'] === null ? 'NONE: start oddsmaker guard <config>' : `pid ${text(status['guard'])}`}${
        typeof status['heartbeat'] === 'string' ? `; NO HEARTBEAT: ${status['heartbeat']}` : ''
      }`,
    ],
    ['mode', text(status['mode'])],
    ['prices', feed('prices')],
    ['user feed', feed('user')],
    [
      'markets',
      `${text(status['markets'])}, quotes ${text(status['resting'])} of ${text(status['wanted'])}${held.length === 0 ? '' : `; held back: ${held.join(', ')}`}`,
    ],
    ['signals', signalsText(part('signals'))],
    ...sourceRows(part('signalSources'), part('signalAges')),
    ...pastRows(status['heldExpired']),
    ['orders', `${text(status['openOrders'])} open, ${text(part('unknown')['now'])} of unknown fate`],
    ['fills', `${text(status['fills'])} for ${money(status['riskFilled'])} of risk`],
    ['pnl', `${money(part('pnl')['marked'])} marked, worst ${money(part('pnl')['worst'])}`],
    ...dayRows(part('day'), money),
    ['permits', `${text(part('permits')['place'])} place, ${text(part('permits')['cancel'])} cancel`],
    ['requests', `${requests.join(', ') || '–'}; answers by status: ${answers.join(', ') || '–'}`],
    ['loop', `${text(status['loops'])} turns, longest stall ${text(status['longestStallMs'])} ms`],
    ['journal', status['journal'] === undefined ? 'none' : text(status['journal'])],
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)}${printable(value)}\n`).join('');
}

/** Why the bot does not quote, or does not quote fully. Disabled strategies are always named. */
function reasonsIn({ closed, problems, off }: Fields): string | undefined {
  const given = typeof closed === 'string' ? [closed] : Array.isArray(problems) ? problems.map(String) : [];
  const offs = Array.isArray(off) ? (off as readonly StrategyOff[]).map(offText) : [];
  const reasons = new Set([...given, ...offs]);
  return reasons.size === 0 ? undefined : [...reasons].join('; ');
}

/** The row of the day's result. None without a daily loss limit. */
function dayRows(day: Fields, money: (value: unknown) => string): readonly (readonly [string, string])[] {
  const { brought, limit, startsAt } = day;
  if (typeof limit !== 'number' || typeof startsAt !== 'number') return [];
  const since = Number.isFinite(startsAt) ? new Date(startsAt).toISOString() : '–';
  const sum = typeof brought === 'number' ? money(brought / 1e6) : 'not known yet';
  return [['day', `${sum} since ${since}; the limit is ${money(-limit / 1e6)}`]];
}

/** The state with its reason. The reason may begin with the state itself, which is then not repeated. */
function stateText(state: string, closed: unknown): string {
  if (typeof closed !== 'string') return state;
  return closed.startsWith(`${state}: `) ? closed : `${state}: ${closed}`;
}

/** The rows of the signal sources. None when no source is configured and no signal was read. */
function sourceRows(sources: Fields, ages: Fields): readonly (readonly [string, string])[] {
  const all = Object.entries(sources) as readonly (readonly [string, Fields | undefined])[];
  const named = all.map(([name, source]) => {
    const { problem, events, matched } = source ?? {};
    const found = typeof events === 'number' ? `, ${String(matched)} of ${events} events are games` : '';
    return `${name} ${typeof problem === 'string' ? `SILENT: ${problem}` : `up${found}`}`;
  });
  const { p50Ms, p95Ms, reads } = (ages['all'] ?? {}) as Fields;
  const seconds = (ms: unknown): string => (typeof ms === 'number' ? `${(ms / 1000).toFixed(1)} s` : '–');
  return [
    ...(named.length > 0 ? [['sources', named.join('; ')] as const] : []),
    ...(typeof reads === 'number'
      ? [['read at', `${seconds(p50Ms)} of age, 95 of 100 at most ${seconds(p95Ms)}`] as const]
      : []),
  ];
}

/** The markets in which the values of what is held elsewhere have expired. No row without any. */
function pastRows(heldExpired: unknown): readonly (readonly [string, string])[] {
  const markets = Array.isArray(heldExpired) ? heldExpired.map(String) : [];
  if (markets.length === 0) return [];
  const more = markets.length > MAX_NAMED ? ` and ${markets.length - MAX_NAMED} more` : '';
  return [['elsewhere', `EXPIRED: ${markets.slice(0, MAX_NAMED).join(', ')}${more}`]];
}

/** Signals that are shown. */
const MAX_NAMED = 6;

function signalsText(signals: Fields): string {
  const all = Object.entries(signals) as readonly (readonly [string, Fields | undefined])[];
  const named = all.slice(0, MAX_NAMED).map(([name, signal]) => {
    const left = signal?.['leftMs'];
    const time = typeof left === 'number' ? ` for ${(left / 1000).toFixed(0)} s` : '';
    return `${name} ${String(signal?.['value'])}${time}${signal?.['asked'] === false ? ' (no strategy asks)' : ''}`;
  });
  const rest = all.length > MAX_NAMED ? `; and ${all.length - MAX_NAMED} more` : '';
  return all.length === 0 ? 'none' : `${named.join('; ')}${rest}`;
}
