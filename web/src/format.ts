// Numbers and times as text. Times are UTC, as in the log.
export const money = (dollars: number | null, digits = 2): string => {
  if (dollars === null) return '–';
  const text = Math.abs(dollars).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${dollars < 0 ? '-' : ''}$${text}`;
};
/** A number for an axis whose marks are `step` apart. */
export const moneyMark = (dollars: number, step?: number): string =>
  money(dollars, step !== undefined && step >= 1 ? 0 : 2);
export const percentMark = (share: number, step?: number): string =>
  percent(share, step === undefined ? 1 : step >= 0.01 ? 0 : step >= 0.001 ? 1 : 2);
export const signed = (dollars: number | null): string =>
  dollars !== null && dollars > 0 ? `+${money(dollars)}` : money(dollars);
export const odds = (value: number | null): string => (value === null ? '–' : value > 0 ? `+${value}` : String(value));
export const percent = (share: number | null, digits = 1): string =>
  share === null ? '–' : `${(share * 100).toFixed(digits)}%`;
export const age = (ms: number): string => {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
};
const iso = (t: number): string => new Date(t).toISOString();
export const clock = (t: number): string => iso(t).slice(11, 19);
export const day = (t: number): string => iso(t).slice(0, 16).replace('T', ' ');
/** The probability that American odds imply. */
export const implied = (american: number): number =>
  american > 0 ? 100 / (100 + american) : -american / (100 - american);
export const line = (value: number | null, type: string): string =>
  value === null ? '' : type === 'spread' && value > 0 ? `+${value}` : String(value);
