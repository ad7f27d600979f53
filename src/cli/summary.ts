// The summary of a run for people, printed on stdout at its end.
import { moneyText, printable } from '../domain/index.ts';
import type { BotResult } from '../run/index.ts';
import type { RecordedFiles } from '../live/index.ts';
import { shownPath } from '../terminal/index.ts';

export function summaryOf(
  { code, reason, status, requests, http, durationMs }: BotResult,
  { journal, tape }: RecordedFiles,
): string {
  const rows: [string, string][] = [
    ['ended', `${reason} after ${(durationMs / 1000).toFixed(1)} s (exit ${code})`],
    [
      'orders',
      `${status.placed} placed, ${status.edited} edited, ${status.cancelled} cancelled, ${status.refused} refused${
        status.undetermined === 0 ? '' : `, ${status.undetermined} cancelled by an unknown cause`
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
    ['open', status.openAtExit === undefined ? 'NOT CONFIRMED: run `oddsmaker panic`' : String(status.openAtExit)],
    ...optional(
      'journal',
      journal && `${shownPath(journal.file)}${journal.isTorn ? ': TORN, the disk refused it' : ''}`,
    ),
    ...optional('tape', tape && `${tape.records} records, ${tape.lost} lost`),
  ];
  return rows.map(([name, text]) => `${name.padEnd(9)}${printable(text)}\n`).join('');
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
/** Shares of the wanted time below this are not shown. */
export const LEAST_HELD = 0.0005;

/**
 * The controls that kept slots empty, each with its share of the wanted time. Undefined when none did for
 * long.
 */
export function heldText(held: Readonly<Record<string, number>>): string | undefined {
  const long = Object.entries(held).filter(([, share]) => share >= LEAST_HELD);
  return long.length === 0 ? undefined : long.map(([control, share]) => `${control} ${percent(share)}`).join(', ');
}

/**
 * The most frequent reason why strategies wanted nothing, with its count. Undefined when they always wanted
 * something.
 */
export function idleText(idle: Readonly<Record<string, number>>): string | undefined {
  const [first] = Object.entries(idle);
  return first === undefined ? undefined : `${first[1].toLocaleString('en')}× ${first[0]}`;
}

const optional = (name: string, text: string | undefined): readonly [string, string][] =>
  text === undefined ? [] : [[name, text]];
