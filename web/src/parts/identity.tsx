// Whose bot this is and how it does, in one line above every view and in the title of the tab: two bots side by side must not be taken
// for each other, and what is old must not be taken for live.
import { computed, effect } from '@preact/signals';
import { age, clock, money, signed } from '../format.ts';
import { link, now, past, runTime, silentFor } from '../stream.ts';
import type { Now } from '../wire.ts';
import { toneOf } from './figure.tsx';

/** The bot cannot be heard: whatever is shown is as it was then. */
export const isDead = computed(
  () => past.value === undefined && (link.value === 'lost' || silentFor.value !== undefined),
);

/** How old the newest book or price is, ms; undefined: there was none. */
export const dataAge = computed(() => {
  const at = now.value?.prices.at;
  return at === undefined || at === null ? undefined : Math.max(0, runTime.value - at);
});

export function Identity() {
  const shown = now.value;
  if (shown === undefined) return null;
  const t = runTime.value;
  const data = dataAge.value;
  const isOld = isDead.value || !shown.prices.up;
  return (
    <p class="identity" style={{ '--who': colorOf(shown) }}>
      <b class="who">{shown.account}</b>
      <span class={`mode ${modeOf(shown)} ${shown.mode === shown.wantedMode ? '' : 'bad'}`}>{modeOf(shown)}</span>
      <span class="where">{whereOf(shown)}</span>
      <b class={`condition ${isDead.value ? 'bad' : toneOfState(shown.state)}`}>{conditionOf(shown)}</b>
      <span class={`made number ${toneOf(madeBy(shown).dollars)}`}>
        {madeBy(shown).name} {signed(madeBy(shown).dollars)}
      </span>
      <time class="number">{clock(t)} UTC</time>
      <span class={`age number ${isOld ? 'bad' : ''}`}>
        data {data === undefined ? 'none yet' : `${age(data)} old`}
      </span>
    </p>
  );
}

export const toneOfState = (state: string): string =>
  state === 'quoting'
    ? 'good'
    : state === 'starting' || state === 'stopping' || state === 'not quoting'
      ? 'wait'
      : 'bad';

const modeOf = ({ mode, wantedMode }: Now): string => mode ?? wantedMode;
const whereOf = ({ instance, exchange }: Now): string => `${instance} @ ${exchange}`;
const conditionOf = ({ state }: Now): string =>
  past.value !== undefined ? `${state}, a past run` : isDead.value ? `NOT LIVE (${state})` : state;

/** Of the day where it is known, which takes a limit of the day; else of the run. */
const madeBy = ({ pnl }: Now): { readonly name: string; readonly dollars: number } =>
  pnl.day === null ? { name: 'run', dollars: pnl.run } : { name: 'today', dollars: pnl.day };

/** The same bot has the same colour whenever and wherever it is looked at. */
function colorOf({ account, exchange, instance }: Now): string {
  let hash = 0;
  for (const sign of `${account} ${exchange} ${instance}`) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) % 360;
  return `hsl(${hash} 65% 50%)`;
}

effect(() => {
  const shown = now.value;
  if (shown === undefined) {
    document.title = 'oddsmaker';
    return;
  }
  const { name, dollars } = madeBy(shown);
  const data = dataAge.value;
  const parts = [
    past.value !== undefined ? 'past run' : isDead.value ? 'NOT LIVE' : shown.state,
    `${shown.account} ${modeOf(shown)}`,
    `${name} ${dollars > 0 ? '+' : ''}${money(dollars)}`,
    clock(runTime.value),
    data === undefined ? 'no data' : age(Math.round(data / 1000) * 1000).replace('.0', ''),
    whereOf(shown),
  ];
  const title = parts.join(' · ');
  if (document.title !== title) document.title = title;
});
