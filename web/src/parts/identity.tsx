// The identity and state of the bot, in one line above every view and in the title of the tab, so that two
// bots are not confused and old data are not taken for live.
import { computed, effect } from '@preact/signals';
import { age, clock, money, signed } from '../format.ts';
import { link, now, past, runTime, silentFor } from '../stream.ts';
import type { Now } from '../wire.ts';
import { toneOf } from './figure.tsx';

/** Whether the bot sends nothing: the page shows its last known state. */
export const isDead = computed(
  () => past.value === undefined && (link.value === 'lost' || silentFor.value !== undefined),
);

/** The age of the newest book or price, ms. Undefined when there was none. */
export const dataAge = computed(() => {
  const newestAt = now.value?.prices.at ?? undefined;
  return newestAt === undefined ? undefined : Math.max(0, runTime.value - newestAt);
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

/** The profit of the day if a daily limit is set, otherwise of the run. */
const madeBy = ({ pnl }: Now): { readonly name: string; readonly dollars: number } =>
  pnl.day === null ? { name: 'run', dollars: pnl.run } : { name: 'today', dollars: pnl.day };

/** The colour of a bot: the same at all times and on all machines. */
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
