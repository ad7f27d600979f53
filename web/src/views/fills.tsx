import { computed } from '@preact/signals';
import { marked, wholeTimes } from '../curve.ts';
import { clock, money, odds, percent, signed } from '../format.ts';
import { Chart } from '../parts/chart.tsx';
import { Figure, toneOf } from '../parts/figure.tsx';
import { linkTo } from '../parts/route.ts';
import { now, rows } from '../stream.ts';
import type { Fill, Figures } from '../wire.ts';

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
          shows={(value) => money(value, 0)}
        />
      </section>
      <section>
        <h3>Fills, newest first</h3>
        {newest.value.length === 0 && <p class="empty">None yet.</p>}
        <div class="wide">
          <table>
            <thead>
              <tr>
                {[
                  'time',
                  'game',
                  'side',
                  'odds',
                  'risk',
                  'own',
                  'fair',
                  'close',
                  '1 s',
                  '10 s',
                  '60 s',
                  '300 s',
                  'brought',
                  'strategy',
                ].map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {newest.value.map(([id, fill]) => (
                <FillRow key={id} fill={fill} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

function Parts({ figures }: { readonly figures: Figures }) {
  const { identity, clv, markouts } = figures;
  return (
    <section>
      <h3>Where the money comes from</h3>
      <dl class="figures">
        <Figure name="spread captured" tone={toneOf(identity.spread)}>
          {signed(identity.spread)}
        </Figure>
        <Figure name="+ drift to the close" tone={toneOf(identity.drift)}>
          {signed(identity.drift)}
        </Figure>
        <Figure name="+ luck" tone={toneOf(identity.luck)}>
          {signed(identity.luck)}
        </Figure>
        <Figure
          name="= settled"
          tone={toneOf(identity.pnl)}
          note={`${identity.fills} fills settled and priced, ${figures.unpriced} unpriced, ${figures.open} open`}
        >
          {signed(identity.pnl)}
        </Figure>
        <Figure
          name="closing line value"
          tone={toneOf(clv.money)}
          note={
            clv.fills === 0
              ? 'no fill has a close yet'
              : `${(clv.points * 100).toFixed(2)} points, ${percent(clv.share, 0)} above 0, ${clv.fills} fills`
          }
        >
          {signed(clv.money)}
        </Figure>
        {Object.entries(markouts).map(([seconds, [sum, each, fills]]) => (
          <Figure
            key={seconds}
            name={`markout ${seconds} s`}
            tone={toneOf(sum)}
            note={fills === 0 ? 'none yet' : `${(each * 100).toFixed(2)} points, ${fills} fills`}
          >
            {fills === 0 ? '–' : signed(sum)}
          </Figure>
        ))}
      </dl>
    </section>
  );
}

function FillRow({ fill }: { readonly fill: Fill }) {
  const { t, market, game, side, risk, payout, f0, fc, markouts, profit, strategy } = fill;
  return (
    <tr>
      <td>{clock(t)}</td>
      <td>{market === null ? (game ?? '–') : <a href={linkTo(market)}>{game ?? market}</a>}</td>
      <td>{side ?? '–'}</td>
      <td class="number">{odds(fill.odds)}</td>
      <td class="number">{money(risk)}</td>
      <td class="number">{payout === null ? '–' : percent(risk / payout)}</td>
      <td class="number">{percent(f0)}</td>
      <td class="number">{percent(fc)}</td>
      {['1', '10', '60', '300'].map((seconds) => (
        <td key={seconds} class={`number ${toneOf(markouts[seconds] ?? null)}`}>
          {markouts[seconds] === undefined ? '–' : signed(markouts[seconds])}
        </td>
      ))}
      <td class={`number ${toneOf(profit)}`}>{signed(profit)}</td>
      <td>{strategy ?? '–'}</td>
    </tr>
  );
}
