import { computed } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { age, clock, day, implied, money, odds, percent, percentMark, signed } from '../format.ts';
import { Chart } from '../parts/chart.tsx';
import { Figure, toneOf } from '../parts/figure.tsx';
import { go, route } from '../parts/route.ts';
import { EndedStory, story, StoryRow, Why } from '../parts/story.tsx';
import { marketText, sideText } from '../place.ts';
import { oneMarket, rows, runTime } from '../stream.ts';
import { whyOf } from '../why.ts';
import type { LadderRow, Market, Own } from '../wire.ts';

/** Prices of the first side, beside that of the exchange. */
const SOURCES: Readonly<Record<string, string>> = {
  odds: 'by the odds feed',
  model: 'by its model',
  fair: 'by your signal',
};
const id = computed(() => route.value.id ?? '');
const fillsHere = computed(() => Object.values(rows.fills.value).filter(({ market }) => market === id.value));
const path = computed(() => (oneMarket.value?.id === id.value ? oneMarket.value.path : []));
/** The path of the market and its fills on one time axis. */
const plot = computed(() => {
  const fills = fillsHere.value.map(({ t, odds: american, side }) => ({
    t,
    p: american === null ? null : isFirst(side) ? implied(american) : 1 - implied(american),
    isFirst: isFirst(side),
  }));
  const times = [...new Set([...path.value.map(([t]) => t), ...fills.map(({ t }) => t)])].sort((a, b) => a - b);
  const pointAt = new Map(path.value.map((point) => [point[0], point]));
  const filledAt = (first: boolean) =>
    new Map(fills.filter((fill) => fill.isFirst === first).map(({ t, p }) => [t, p]));
  const [onFirst, onSecond] = [filledAt(true), filledAt(false)];
  // a fill between two points must not interrupt the lines of the path
  let last: readonly (number | null)[] = [null, null, null, null];
  const lines = times.map((t) => (last = pointAt.get(t) ?? last));
  return {
    times,
    fair: lines.map((point) => point[1] ?? null),
    first: lines.map((point) => point[2] ?? null),
    second: lines.map((point) => point[3] ?? null),
    onFirst: times.map((t) => onFirst.get(t) ?? null),
    onSecond: times.map((t) => onSecond.get(t) ?? null),
  };
});
const series = computed(() => {
  const sides = rows.markets.value[id.value]?.sides ?? ['first', 'second'];
  const { fair, first, second, onFirst, onSecond } = plot.value;
  return [
    { label: 'fair', color: 'text', values: fair },
    { label: `own ${sides[0]}`, color: 'first', values: first, kind: 'step' as const },
    { label: `own ${sides[1]}`, color: 'second', values: second, kind: 'step' as const },
    { label: `filled ${sides[0]}`, color: 'first', values: onFirst, kind: 'points' as const },
    { label: `filled ${sides[1]}`, color: 'second', values: onSecond, kind: 'points' as const },
  ];
});
const times = computed(() => plot.value.times);

const isFirst = (side: string | null): boolean => side === 'home' || side === 'over';

export function MarketView() {
  useEffect(() => {
    const pressed = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      if (story.value === undefined) go('markets');
      story.value = undefined;
    };
    addEventListener('keydown', pressed);
    return () => {
      removeEventListener('keydown', pressed);
      story.value = undefined;
    };
  }, []);
  const market = rows.markets.value[id.value];
  if (market === undefined)
    return (
      <p class="empty">
        No such market is quoted, held or open now. <a href="#/markets">All markets</a>
      </p>
    );
  const t = runTime.value;
  const [first, second, staked] = market.position;
  return (
    <>
      <section class="title whole">
        <a href="#/markets">← markets</a>
        <h2>
          {market.game} · {marketText(market)}
        </h2>
        <p class="note">
          {market.league} ·{' '}
          {market.live
            ? 'in play'
            : market.start === null
              ? ''
              : `${day(market.start)} UTC, ${age(market.start - t)} to go`}{' '}
          · {id.value}
        </p>
        <ul class="whys">
          {whyOf(market, t).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      <section class="whole">
        <dl class="figures">
          <Figure name={`fair ${market.sides[0]}`}>{percent(market.fair)}</Figure>
          {Object.entries(market.outside).map(([source, p]) => (
            <Figure key={source} name={SOURCES[source] ?? source}>
              {percent(p)}
            </Figure>
          ))}
          <Figure name={`if ${market.sides[0]}`} tone={toneOf(first)}>
            {signed(first)}
          </Figure>
          <Figure name={`if ${market.sides[1]}`} tone={toneOf(second)}>
            {signed(second)}
          </Figure>
          <Figure name="staked">{money(staked)}</Figure>
          {market.elsewhere !== null && (
            <Figure name={market.elsewhere[2] ? 'held elsewhere (expired)' : 'held elsewhere'}>
              {`${signed(market.elsewhere[0])} / ${signed(market.elsewhere[1])}`}
            </Figure>
          )}
          <Figure name="worst of game" tone={market.worstOfGame < 0 ? 'bad' : ''}>
            {money(market.worstOfGame)}
          </Figure>
          {market.worstWithParts !== market.worstOfGame && (
            <Figure name="with all parts" tone={market.worstWithParts < 0 ? 'bad' : ''}>
              {money(market.worstWithParts)}
            </Figure>
          )}
          <Figure name="markout" tone={toneOf(market.markout)}>
            {signed(market.markout)}
          </Figure>
        </dl>
      </section>
      <section class="whole">
        <h3>Price, own quotes and fills</h3>
        <Chart
          name="price, own quotes and fills"
          times={times.value}
          series={series.value}
          height={260}
          shows={percentMark}
        />
        <p class="note">As probability of {market.sides[0]}. Drag or pinch to zoom, double click for the whole.</p>
      </section>
      <section class="whole">
        <h3>Ladder</h3>
        <Ladder market={market} />
      </section>
      <section>
        <h3>Own orders</h3>
        <Orders own={market.own} t={t} market={market} />
      </section>
      <EndedStory listed={market.own.map(({ ref }) => ref)} />
      <section>
        <h3>Fills here</h3>
        <table>
          <tbody>
            {fillsHere.value.toReversed().map((fill) => (
              <tr key={`${fill.t} ${fill.ref ?? ''}`}>
                <td>{clock(fill.t)}</td>
                <td>{sideText(fill.side, fill)}</td>
                <td class="number">{odds(fill.odds)}</td>
                <td class="number">{money(fill.risk)}</td>
                <td class="number">fair {percent(fill.f0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {fillsHere.value.length === 0 && <p class="empty">None yet.</p>}
      </section>
    </>
  );
}

function Ladder({ market }: { readonly market: Market }) {
  const ladder = oneMarket.value?.id === id.value ? oneMarket.value.ladder : null;
  if (ladder === null) return <p class="empty">It is not quoted now.</p>;
  const most = Math.max(1, ...ladder.flat().map(({ size, own }) => size + own));
  return (
    <div class="ladders">
      {ladder.map((side, index) => (
        <table class={`ladder side${index}`} key={index}>
          <caption>{market.sides[index as 0 | 1]}</caption>
          <thead>
            <tr>
              <th>odds</th>
              <th>own</th>
              <th>others</th>
              <th>offers</th>
            </tr>
          </thead>
          <tbody>
            {side.map((row) => (
              <Rung key={row.odds} row={row} most={most} />
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

function Rung({ row, most }: { readonly row: LadderRow; readonly most: number }) {
  return (
    <tr class={row.own > 0 ? 'mine' : ''}>
      <td class="number">{odds(row.odds)}</td>
      <td class="number">{row.own === 0 ? '' : money(row.own, 0)}</td>
      <td class="number">
        <meter min={0} max={most} value={row.size} /> {money(row.size, 0)}
      </td>
      <td class="number">{row.offers}</td>
    </tr>
  );
}

function Orders({ own, t, market }: { readonly own: readonly Own[]; readonly t: number; readonly market: Market }) {
  if (own.length === 0) return <p class="empty">None rests here.</p>;
  return (
    <div class="wide">
      <table class="orders cards">
        <thead>
          <tr>
            {['side', 'odds', 'risk', '', 'status', 'age', 'queue'].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {own.map((order) => (
            <Fragment key={order.ref}>
              <tr>
                <td class="side lead">{sideText(order.side, market)}</td>
                <td data-name="odds" class="number">
                  {odds(order.odds)}
                </td>
                <td data-name="risk" class="number">
                  {money(order.remaining)}
                </td>
                <td class="why">
                  <Why order={order.ref} />
                </td>
                <td data-name="status">{order.status}</td>
                <td data-name="age" class="number">
                  {age(t - order.sentAt)}
                </td>
                <td data-name="queue" class="number">
                  rank {order.rank}, {money(order.ahead, 0)} ahead
                </td>
              </tr>
              <StoryRow order={order.ref} columns={7} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
