// The figures of the run so far: sources of P&L, quoting, permits and positions.
import { computed, signal } from '@preact/signals';
import { Fragment } from 'preact';
import { age, money, percent, signed } from '../format.ts';
import { Figure, toneOf } from '../parts/figure.tsx';
import { linkTo } from '../parts/route.ts';
import { now, rows } from '../stream.ts';
import type { Attribution, PhaseTotals, Totals } from '../wire.ts';

export function FiguresView() {
  const totals = now.value;
  return (
    <>
      {totals !== undefined && (
        <>
          {phasesIn(totals).map(([phase, name]) => {
            const ofPhase = phase === 'sum' ? totals : totals.phases[phase];
            const { fills } = phase === 'sum' ? totals.figures : totals.figures.phases[phase];
            return (
              <Fragment key={phase}>
                <Quoting name={name} quoting={ofPhase.quoting} fills={fills} pickedOff={ofPhase.pickedOff} />
                <Permits name={name} permits={ofPhase.permits} />
              </Fragment>
            );
          })}
          <Exposure exposure={totals.exposure} />
        </>
      )}
      <Table />
    </>
  );
}

/** The phases in order: before the start, in play, the sum. */
const PHASES = [
  ['prematch', 'pre-match'],
  ['inplay', 'in play'],
  ['sum', 'both'],
] as const;

/** The phases to show. The sum is left out when only one phase was quoted, because it would be equal. */
function phasesIn({ phases }: Totals): readonly (typeof PHASES)[number][] {
  const quoted = PHASES.filter(([phase]) => phase !== 'sum' && hasQuoted(phases[phase]));
  return quoted.length > 1 ? PHASES : quoted.length === 1 ? quoted : PHASES.slice(-1);
}

const hasQuoted = ({ quoting, permits }: PhaseTotals): boolean =>
  quoting.orders > 0 || quoting.quoteHours > 0 || permits.place + permits.cancel > 0;

const known = (value: number | null, shows: (value: number) => string): string =>
  value === null ? 'not known' : shows(value);
/** The permits of a phase. A request with orders of both phases is split between them. */
const count = (permits: number): string => String(Math.round(permits * 10) / 10);
const points = (p: number): string => `${(p * 100).toFixed(2)} points`;
const fine = (dollars: number): string => `${dollars < 0 ? '-' : ''}$${Math.abs(dollars).toFixed(4)}`;

function Quoting({
  name,
  quoting,
  fills,
  pickedOff,
}: Pick<PhaseTotals, 'quoting' | 'pickedOff'> & { readonly name: string; readonly fills: number }) {
  const young = pickedOff.unknown;
  return (
    <section>
      <h3>How it quoted, {name}</h3>
      <dl class="figures">
        <Figure name="two-sided" note="of the time with a quote in a market">
          {percent(quoting.twoSided)}
        </Figure>
        <Figure name="at the best price" note="of the quote time">
          {percent(quoting.atBest)}
        </Figure>
        <Figure
          name="distance from fair"
          note={`by payout; plain ${known(quoting.plainMeanDistance, points)}; median ${known(quoting.medianDistance, points)}, over ${quoting.quoteHours.toFixed(1)} hours of quotes`}
        >
          {known(quoting.meanDistance, points)}
        </Figure>
        <Figure name="cancels per fill" note={`${quoting.orders} orders have ended, ${fills} fills`}>
          {known(quoting.cancelsPerFill, (cancels) => cancels.toFixed(1))}
        </Figure>
        <Figure name="median lifetime of an order">{known(quoting.medianLifeMs, age)}</Figure>
        <Figure
          name="picked off"
          tone={pickedOff.latency + pickedOff.pricing > 0 ? 'wait' : ''}
          note={`late, mispriced; ${pickedOff.no} were not${young > 0 ? `, ${young} not known yet` : ''}`}
        >
          {pickedOff.latency}, {pickedOff.pricing}
        </Figure>
      </dl>
    </section>
  );
}

function Permits({ name, permits }: Pick<PhaseTotals, 'permits'> & { readonly name: string }) {
  const each = (what: string, dollars: number | null) => (
    <Figure name={what} tone={toneOf(dollars === null ? null : dollars * 100)} note="per place permit">
      {known(dollars, fine)}
    </Figure>
  );
  return (
    <section>
      <h3>What permits brought, {name}</h3>
      <dl class="figures">
        <Figure name="used" note="places and edits, cancels">
          {count(permits.place)}, {count(permits.cancel)}
        </Figure>
        {each('spread', permits.spreadPerPlace)}
        {name !== 'in play' && each('closing line value, pre-match', permits.clvPerPlace)}
        {each('P&L of settled', permits.pnlPerPlace)}
        <Figure name="mean wait" note="of a quote for its request">
          {known(permits.meanWaitMs, age)}
        </Figure>
        <Figure name="cost of waiting" note="dollars × seconds">
          {permits.staleness.toFixed(0)}
        </Figure>
        <Figure name="one more permit" note="what it would have brought when they were scarce">
          {money(permits.shadowPrice)}
        </Figure>
      </dl>
    </section>
  );
}

function Exposure({ exposure }: Pick<Totals, 'exposure'>) {
  const held = Object.entries(exposure.heldBack ?? {}).filter(([, share]) => share >= 0.0005);
  return (
    <section class="whole">
      <h3>What was held</h3>
      <dl class="figures">
        <Figure name="largest fall of the marked result" tone={(exposure.maxDrawdown ?? 0) > 0 ? 'bad' : ''}>
          {money(exposure.maxDrawdown)}
        </Figure>
        <Figure name="lowest worst case" note="of all that rested and was held" tone={toneOf(exposure.worst)}>
          {money(exposure.worst)}
        </Figure>
        <Figure name="inventory" note={`mean; at most ${money(exposure.most)}`}>
          {money(exposure.mean)}
        </Figure>
        <Figure name="at limits" note="of the time: orders, losses or credit kept a quote away">
          {percent(exposure.atLimits)}
        </Figure>
        <Figure
          name="held back by controls"
          note={
            held.length === 0
              ? 'of the wanted time'
              : held
                  .sort(([, a], [, b]) => b - a)
                  .map(([name, share]) => `${name} ${percent(share)}`)
                  .join(', ')
          }
        >
          {percent(held.reduce((sum, [, share]) => sum + share, 0))}
        </Figure>
      </dl>
    </section>
  );
}

/** Names of the keys by which fills are grouped. */
const KEYS: Readonly<Record<string, string>> = {
  market: 'market',
  game: 'game',
  league: 'league',
  type: 'type of market',
  strategy: 'strategy',
  hour: 'time to the start',
  favourite: 'how likely the side was',
  age: 'age of the quote',
  inventory: 'inventory before it',
  queue: 'stake ahead in the queue',
  day: 'day',
};
const SUMS = [
  ...(['fills', 'risk', 'spread', 'drift', 'luck', 'commission', 'pnl', 'clv'] as const),
  ...(['markout60s', 'markout300s'] as const),
];
type Sum = (typeof SUMS)[number];
const NAMES: Readonly<Record<Sum, string>> = {
  fills: 'fills',
  risk: 'risk',
  spread: 'spread',
  drift: 'drift',
  luck: 'luck',
  commission: 'commission',
  pnl: 'P&L',
  clv: 'CLV',
  markout60s: '60 s',
  markout300s: '300 s',
};

const by = signal('game');
/** The chosen phase. Undefined: the first phase with fills. */
const chosen = signal<Attribution['phase'] | undefined>(undefined);
const phase = computed<Attribution['phase']>(
  () =>
    chosen.value ??
    (Object.values(rows.attribution.value).some((row) => row.phase === 'prematch') ? 'prematch' : 'inplay'),
);
/** The chosen order of rows. Undefined: by range, or by risk, the largest first. */
const sorted = signal<{ readonly sum: Sum; readonly isUp: boolean } | undefined>(undefined);
const shown = computed(() => {
  const chosenRows = Object.values(rows.attribution.value).filter(
    (row) => row.by === by.value && row.phase === phase.value,
  );
  const order = sorted.value;
  if (order === undefined) return chosenRows.sort((a, b) => a.order - b.order);
  const value = (row: Attribution): number => row[order.sum] ?? Number.NEGATIVE_INFINITY;
  const sign = order.isUp ? 1 : -1;
  return chosenRows.sort((a, b) => sign * (value(a) - value(b)) || a.order - b.order);
});

function sortBy(sum: Sum): void {
  const before = sorted.value;
  sorted.value = before?.sum !== sum ? { sum, isUp: false } : before.isUp ? undefined : { sum, isUp: true };
}

function Table() {
  const order = sorted.value;
  return (
    <section class="whole">
      <h3>Where the money comes from</h3>
      <div class="tools">
        <label>
          fills{' '}
          <select
            name="phase"
            value={phase.value}
            onChange={({ currentTarget }) => (chosen.value = currentTarget.value as Attribution['phase'])}
          >
            {PHASES.map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          by{' '}
          <select name="by" value={by.value} onChange={({ currentTarget }) => (by.value = currentTarget.value)}>
            {Object.entries(KEYS).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          sorted by{' '}
          <select
            name="sort"
            value={order === undefined ? '' : order.sum}
            onChange={({ currentTarget: { value } }) =>
              (sorted.value = value === '' ? undefined : { sum: value as Sum, isUp: false })
            }
          >
            <option value="">its own order</option>
            {SUMS.map((sum) => (
              <option key={sum} value={sum}>
                {NAMES[sum]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown.value.length === 0 && <p class="empty">No fills yet.</p>}
      {shown.value.length > 0 && (
        <div class="wide">
          <table class="cards attribution">
            <thead>
              <tr>
                <th>{KEYS[by.value]}</th>
                {SUMS.map((sum) => (
                  <th
                    key={sum}
                    class="number"
                    aria-sort={order?.sum !== sum ? undefined : order.isUp ? 'ascending' : 'descending'}
                  >
                    <button type="button" onClick={() => sortBy(sum)}>
                      {NAMES[sum]}
                      {order?.sum !== sum ? '' : order.isUp ? ' ↑' : ' ↓'}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.value.map((row) => (
                <tr key={row.key}>
                  <td class="lead">{row.by === 'market' ? <a href={linkTo(row.key)}>{row.name}</a> : row.name}</td>
                  {SUMS.map((sum) => (
                    <Cell key={sum} sum={sum} value={row[sum]} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="note">
        Spread captured, drift (to the close; in play to the last price) and luck sum to the P&amp;L where all three are
        known. CLV is of fills before the start; fills in play are judged at 60 and 300 s. Of games and markets the
        hundred with the most risk.
      </p>
    </section>
  );
}

function Cell({ sum, value }: { readonly sum: Sum; readonly value: number | null }) {
  const isPlain = sum === 'fills' || sum === 'risk';
  return (
    <td data-name={NAMES[sum]} class={`number ${isPlain ? '' : toneOf(value)}`}>
      {sum === 'fills' ? value : sum === 'risk' ? money(value) : signed(value)}
    </td>
  );
}
