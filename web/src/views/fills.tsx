import { computed } from '@preact/signals';
import { marked, wholeTimes } from '../curve.ts';
import { age, clock, money, moneyMark, odds, percent, signed } from '../format.ts';
import { Chart } from '../parts/chart.tsx';
import { Figure, toneOf } from '../parts/figure.tsx';
import { linkTo } from '../parts/route.ts';
import { sideText, typeText } from '../place.ts';
import { now, rows } from '../stream.ts';
import type { Fill, Figures, PhaseFigures } from '../wire.ts';

const MOST_SHOWN = 200;
const series = computed(() => [marked.value]);
const newest = computed(() => Object.entries(rows.fills.value).reverse().slice(0, MOST_SHOWN));

export function FillsView() {
  const figures = now.value?.figures;
  return (
    <>
      {figures !== undefined && <Parts figures={figures} />}
      <section>
        <h3>Profit and loss over time</h3>
        <Chart
          name="profit and loss over time"
          times={wholeTimes.value}
          series={series.value}
          height={180}
          shows={moneyMark}
        />
      </section>
      <section class="whole">
        <h3>Fills, newest first</h3>
        {newest.value.length === 0 && <p class="empty">None yet.</p>}
        <div class="wide">
          <table class="cards">
            <thead>
              <tr>
                {COLUMNS.map(([name, , about]) => (
                  <th key={name} title={about}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {newest.value.map(([id, fill]) => (
                <tr key={id}>{COLUMNS.map(([name, shows]) => shows(fill, name))}</tr>
              ))}
            </tbody>
          </table>
        </div>
        <p class="note">
          Position is what the market pays by its two sides. Whether a fill was picked off is known a minute later. What
          stood before an order when it filled no live run knows: books come later than fills.
        </p>
      </section>
    </>
  );
}

/** The phases in order: before the start, in play, the sum. */
function Parts({ figures }: { readonly figures: Figures }) {
  const { prematch, inplay } = figures.phases;
  return (
    <>
      <PhaseParts name="pre-match" to="drift to the close" figures={prematch} isEarly />
      <PhaseParts name="in play" to="drift to the last price" figures={inplay} isLive />
      {prematch.fills > 0 && inplay.fills > 0 && <PhaseParts name="both" to="drift" figures={figures} isEarly isLive />}
      {figures.lost > 0 && <p class="note">{figures.lost} fills are followed no longer.</p>}
    </>
  );
}

function PhaseParts({
  name,
  to,
  figures,
  isEarly = false,
  isLive = false,
}: {
  readonly name: string;
  readonly to: string;
  readonly figures: PhaseFigures;
  readonly isEarly?: boolean;
  readonly isLive?: boolean;
}) {
  const { identity, clv, edge, markouts } = figures;
  if (figures.fills === 0)
    return (
      <section>
        <h3>Where the money comes from, {name}</h3>
        <p class="empty">No fill.</p>
      </section>
    );
  const countText = (known: number, all: number): string =>
    known === all ? `${known} fills` : `${known} of ${all} fills`;
  return (
    <section>
      <h3>Where the money comes from, {name}</h3>
      <dl class="figures">
        <Figure
          name="spread captured"
          tone={toneOf(identity.spread)}
          note={`of settled fills; ${orUnknown(figures.spread)} of all`}
        >
          {orUnknown(identity.spread)}
        </Figure>
        <Figure name={`+ ${to}`} tone={toneOf(identity.drift)}>
          {orUnknown(identity.drift)}
        </Figure>
        <Figure name="+ luck" tone={toneOf(identity.luck)}>
          {orUnknown(identity.luck)}
        </Figure>
        {identity.commission !== 0 && identity.commission !== null && (
          <Figure name="+ commission" tone={toneOf(identity.commission)}>
            {orUnknown(identity.commission)}
          </Figure>
        )}
        <Figure
          name="= settled"
          tone={toneOf(identity.pnl)}
          note={`${identity.fills} fills settled and priced, ${figures.unpriced} unpriced, ${figures.open} open`}
        >
          {orUnknown(identity.pnl)}
        </Figure>
        {isEarly && (
          <Figure
            name={isLive ? 'closing line value, pre-match' : 'closing line value'}
            tone={toneOf(clv.money)}
            note={
              clv.fills === 0
                ? 'no fill has a close yet'
                : `by payout ${pointsText(clv.points)}, ${percent(clv.share, 0)} above 0; plain ${pointsText(clv.plainPoints)}, ${percent(clv.plainShare, 0)}; ${countText(clv.fills, clv.early)}`
            }
          >
            {orUnknown(clv.money)}
          </Figure>
        )}
        <Figure
          name="edge"
          tone={toneOf(edge.money)}
          note={`${isEarly ? 'to the close' : ''}${isEarly && isLive ? ', ' : ''}${isLive ? 'to 300 s in play' : ''}; ${edge.perPlace === null ? 'not known' : edge.perPlace.toFixed(4)} a place permit, ${countText(edge.fills, figures.fills)}`}
        >
          {orUnknown(edge.money)}
        </Figure>
        {Object.entries(markouts).map(([seconds, [sum, each, fills]]) => (
          <Figure
            key={seconds}
            name={`markout ${seconds} s`}
            tone={toneOf(sum)}
            note={fills === 0 ? 'none yet' : `${pointsText(each)}, ${countText(fills, figures.fills)}`}
          >
            {orUnknown(sum)}
          </Figure>
        ))}
      </dl>
    </section>
  );
}

const orUnknown = (value: number | null): string => (value === null ? 'not known' : signed(value));
const pointsText = (p: number | null): string => (p === null ? 'not known' : `${(p * 100).toFixed(2)} points`);

type Cell = preact.JSX.Element;
/** The columns: name, value of a fill, explanation. */
type Column = readonly [name: string, shows: (fill: Fill, name: string) => Cell, about?: string];

const text = (name: string, value: string | null, tone = ''): Cell => (
  <td key={name} data-name={name} class={value === null || value === '–' ? 'unknown' : tone} title={value ?? ''}>
    {value ?? '–'}
  </td>
);
const number = (name: string, value: string, tone = ''): Cell => text(name, value, `number ${tone}`);
const toned = (name: string, dollars: number | null | undefined): Cell =>
  number(name, signed(dollars ?? null), toneOf(dollars ?? null));
const position = ([first, second]: Fill['after']): string => `${money(first, 0)} / ${money(second, 0)}`;
const PICKED_OFF: Readonly<Record<string, string>> = { latency: 'late', pricing: 'mispriced', no: 'no' };

const COLUMNS: readonly Column[] = [
  ['time', ({ t }, name) => text(name, clock(t))],
  [
    'game',
    ({ market, game }, name) => (
      <td key={name} class="lead">
        {market === null ? (game ?? '–') : <a href={linkTo(market)}>{game ?? market}</a>}
      </td>
    ),
  ],
  ['market', (fill, name) => text(name, typeText(fill), 'what')],
  ['side', (fill, name) => text(name, sideText(fill.side, fill), 'side')],
  ['odds', (fill, name) => number(name, odds(fill.odds))],
  ['risk', ({ risk }, name) => number(name, money(risk))],
  [
    'own',
    ({ risk, payout }, name) => number(name, payout === null ? '–' : percent(risk / payout)),
    'own price, as probability',
  ],
  ['fair', ({ f0 }, name) => number(name, percent(f0)), "the others' price when it filled"],
  ['close', ({ fc }, name) => number(name, percent(fc)), "the others' price at the close"],
  ...['1', '10', '60', '300'].map((seconds): Column => [
    `${seconds} s`,
    ({ markouts }, name) => toned(name, markouts[seconds]),
    `what it was worth ${seconds} seconds later`,
  ]),
  ['brought', ({ profit }, name) => toned(name, profit)],
  ['strategy', ({ strategy }, name) => text(name, strategy)],
  ['role', ({ role }, name) => text(name, role), 'maker: the order rested and was taken'],
  ['age', ({ ageMs }, name) => number(name, ageMs === null ? '–' : age(ageMs)), 'how long the order had rested'],
  ['ahead', ({ ahead }, name) => number(name, money(ahead, 0)), "others' stake before it when it came to rest"],
  ['before', ({ before }, name) => number(name, position(before)), 'position before it, by sides'],
  ['after', (fill, name) => number(name, position(fill.after)), 'position after it, by sides'],
  [
    'picked off',
    ({ pickedOff }, name) =>
      text(
        name,
        pickedOff === null ? '–' : (PICKED_OFF[pickedOff] ?? pickedOff),
        pickedOff === null || pickedOff === 'no' ? '' : 'bad',
      ),
    'late: the price had moved against it before; mispriced: it moved within a minute',
  ],
  ['reason', ({ reason }, name) => text(name, reason, 'long'), 'what the strategy said of its quote'],
];
