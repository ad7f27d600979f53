// What a run came to, at its end on stdout: one JSON object for programs (DESIGN §6), a few rows for people.
import { moneyText, printable } from '../domain/index.ts';
import type { BotResult } from './bot-result.ts';
import type { Kept } from './bot-records.ts';
import { shownPath } from './shown-path.ts';

/** The one object of `--json`; money in dollars. */
export function jsonOf({
  status,
  requests,
  http,
  durationMs,
  faults,
}: Pick<BotResult, 'status' | 'requests' | 'http' | 'durationMs' | 'faults'>) {
  const {
    frames,
    intents,
    placed,
    edited,
    cancelled,
    undetermined,
    fills,
    riskFilled,
    refused,
    unknown,
    pnl,
    quotedShare,
    mode,
  } = status;
  return {
    schema: 1,
    frames,
    intents,
    placed,
    edited,
    cancelled,
    undetermined,
    requests,
    fills,
    riskFilled,
    refused,
    unknown: { ever: unknown.ever, atExit: unknown.now },
    http,
    openAtExit: status.openAtExit ?? null,
    pnl,
    quotedShare,
    mode: mode ?? null,
    durationMs,
    faults,
  };
}

/** The same of a run that ended before there was a bot: it did nothing, and knows nothing of the account. */
export const jsonOfNothing = (durationMs: number): ReturnType<typeof jsonOf> => ({
  schema: 1,
  ...{ frames: 0, intents: 0, placed: 0, edited: 0, cancelled: 0, undetermined: 0 },
  requests: { place: 0, edit: 0, cancel: 0, other: 0 },
  ...{ fills: 0, riskFilled: 0, refused: 0 },
  unknown: { ever: 0, atExit: 0 },
  http: {},
  openAtExit: null,
  pnl: { marked: 0, worst: 0 },
  quotedShare: 0,
  mode: null,
  durationMs,
  faults: [],
});

export function summaryOf(
  { code, reason, status, requests, http, durationMs }: BotResult,
  { journal, tape }: Kept,
): string {
  const rows: [string, string][] = [
    ['ended', `${reason} after ${(durationMs / 1000).toFixed(1)} s (exit ${code})`],
    [
      'orders',
      `${status.placed} placed, ${status.edited} edited, ${status.cancelled} cancelled, ${status.refused} refused${
        status.undetermined === 0 ? '' : `, ${status.undetermined} cancelled by nobody knows whom`
      }`,
    ],
    ['fills', `${status.fills} for ${moneyText(status.riskFilled)} of risk`],
    ['pnl', `${moneyText(status.pnl.marked)} marked, worst ${moneyText(status.pnl.worst)}`],
    ['quoted', `${percent(status.quotedShare)} of the wanted time`],
    ...optional('held', heldText(status.heldShare)),
    ...(status.quotedShare === 0 ? optional('idle', idleText(status.idle)) : []),
    [
      'requests',
      `${requests.place} place, ${requests.edit} edit, ${requests.cancel} cancel, ${requests.other} other; answers ${Object.entries(
        http,
      )
        .map(([key, count]) => `${key === '0' ? 'none' : key}: ${count}`)
        .join(', ')}`,
    ],
    [
      'open',
      status.openAtExit === undefined ? 'NOT CONFIRMED: run `oddsmaker panic`' : String(status.openAtExit),
    ],
    ...optional(
      'journal',
      journal && `${shownPath(journal.file)}${journal.isTorn ? ': TORN, the disk refused it' : ''}`,
    ),
    ...optional('tape', tape && `${tape.records} records, ${tape.lost} lost`),
  ];
  return rows.map(([name, text]) => `${name.padEnd(9)}${printable(text)}\n`).join('');
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
/** Less of the wanted time is not worth a word. */
export const LEAST_HELD = 0.0005;

/** Which controls kept slots empty, and for how much of the wanted time; undefined: none for long. */
export function heldText(held: Readonly<Record<string, number>>): string | undefined {
  const long = Object.entries(held).filter(([, share]) => share >= LEAST_HELD);
  return long.length === 0
    ? undefined
    : long.map(([control, share]) => `${control} ${percent(share)}`).join(', ');
}

/** Why strategies wanted nothing most often, and how often; undefined: they always wanted something. */
export function idleText(idle: Readonly<Record<string, number>>): string | undefined {
  const [first] = Object.entries(idle);
  return first === undefined ? undefined : `${first[1].toLocaleString('en')}× ${first[0]}`;
}

const optional = (name: string, text: string | undefined): readonly [string, string][] =>
  text === undefined ? [] : [[name, text]];
