import { computed } from '@preact/signals';
import { command } from '../api.ts';
import { marked, recent, recentTimes, wholeTimes, worst } from '../curve.ts';
import { age, clock, day, money, moneyMark, percent, signed } from '../format.ts';
import { Chart } from '../parts/chart.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Figure, Gauge, toneOf } from '../parts/figure.tsx';
import { toneOfState } from '../parts/identity.tsx';
import { mayCommand, now, past, runTime } from '../stream.ts';
import type { Feed, Now } from '../wire.ts';

const column = (index: number) => computed(() => recent.value.map((point) => point[index] ?? null));
const [place, cancel, waiting] = [column(1), column(2), column(4)];
const permitSeries = computed(() => [
  { label: 'place', color: 'first', values: place.value, kind: 'step' as const },
  { label: 'cancel', color: 'second', values: cancel.value, kind: 'step' as const },
]);
const waitingSeries = computed(() => [{ label: 'waiting', color: 'bad', values: waiting.value }]);
const markedSeries = computed(() => [marked.value]);
const worstSeries = computed(() => [worst.value]);

export function NowView() {
  const shown = now.value;
  if (shown === undefined) return <p class="empty">Waiting for the first figures.</p>;
  return (
    <>
      <section class={`state whole ${toneOfState(shown.state)}`}>
        <h2>{shown.state}</h2>
        <p>{shown.why}</p>
        <Controls shown={shown} />
      </section>
      <Money shown={shown} />
      <Links shown={shown} />
      <Quotes shown={shown} />
      <section>
        <h3>Profit and loss over time</h3>
        <Chart
          name="profit and loss over time"
          times={wholeTimes.value}
          series={markedSeries.value}
          height={170}
          shows={moneyMark}
        />
        <h3>Worst case over time</h3>
        <Chart
          name="worst case over time"
          times={wholeTimes.value}
          series={worstSeries.value}
          height={130}
          shows={moneyMark}
        />
      </section>
      <section>
        <h3>Permits in hand</h3>
        <div class="gauges">
          <Gauge
            name="place, edit"
            value={shown.place.free}
            most={shown.place.limit}
            text={`${shown.place.free} of ${shown.place.limit}`}
          />
          <Gauge
            name="cancel"
            value={shown.cancel.free}
            most={shown.cancel.limit}
            text={`${shown.cancel.free} of ${shown.cancel.limit}`}
          />
          <p>
            {shown.waiting.slots === 0
              ? 'Nothing waits for a permit.'
              : `${shown.waiting.slots} slots wait, which costs ${money(shown.waiting.value)}.`}
          </p>
        </div>
        <Chart
          name="permits in hand over time"
          times={recentTimes.value}
          series={permitSeries.value}
          height={130}
          shows={(value) => String(value)}
        />
        <h3>What waits is worth</h3>
        <Chart
          name="value of what waits"
          times={recentTimes.value}
          series={waitingSeries.value}
          height={110}
          shows={moneyMark}
        />
      </section>
      <About shown={shown} />
    </>
  );
}

function Controls({ shown }: { readonly shown: Now }) {
  if (!mayCommand.value) return null;
  const say = (name: string, done: string) => () => void command({ command: name }, done);
  return (
    <div class="buttons">
      <Confirm
        label="Cancel all"
        kind="danger big"
        question={`Cancel every order on the account, ${shown.orders.open} of ours among them, and pause?`}
        yes="Cancel all and pause"
        onYes={say('cancel-all', 'Everything is being cancelled, and nothing is quoted until Resume.')}
      />
      <button type="button" onClick={say('pause', 'Paused: quotes are cancelled until Resume.')}>
        Pause
      </button>
      <Resume shown={shown} onYes={say('resume', 'Resumed.')} />
      <button type="button" onClick={say('reduce-only', 'Only quotes that reduce a position, until Resume.')}>
        Reduce only
      </button>
      <Confirm
        label="Halt"
        kind="danger"
        question="Halt: cancel everything and quote nothing, also after a restart, until an operator resumes?"
        yes="Halt"
        onYes={say('halt', 'Halted: everything is being cancelled.')}
      />
    </div>
  );
}

/**
 * Resumes quoting. It asks for confirmation before it lifts a fence or a halt, and shows the reason of that.
 */
function Resume({ shown, onYes }: { readonly shown: Now; readonly onYes: () => void }) {
  const isFenced = shown.state === 'fenced' || shown.fence !== null;
  if (!isFenced && shown.trading !== 'halted')
    return (
      <button type="button" onClick={onYes}>
        Resume
      </button>
    );
  const lifts = [isFenced ? 'the fence of the guard' : '', shown.trading === 'halted' ? 'the halt' : ''];
  const why = shown.fence?.why ?? shown.why;
  return (
    <Confirm
      label="Resume"
      kind="danger"
      question={`Lift ${lifts.filter((name) => name !== '').join(' and ')}, and quote again? Its reason: ${why}`}
      yes="Lift it and quote"
      onYes={onYes}
    />
  );
}

function Money({ shown }: { readonly shown: Now }) {
  const { pnl, figures } = shown;
  return (
    <section>
      <h3>Money</h3>
      <dl class="figures">
        <Figure name="today" tone={toneOf(pnl.day)} note={limitOf(shown)}>
          {signed(pnl.day)}
        </Figure>
        <Figure name="this run" tone={toneOf(pnl.run)} note="settled and marked">
          {signed(pnl.run)}
        </Figure>
        <Figure name="all runs" tone={toneOf(pnl.all)}>
          {signed(pnl.all)}
        </Figure>
        <Figure name="worst loss" tone={pnl.worst < 0 ? 'bad' : ''} note="all that rests and is held">
          {money(pnl.worst)}
        </Figure>
        <Figure name="balance" note={creditOf(shown)}>
          {money(shown.balance)}
        </Figure>
        <Figure name="inventory" note="payoff between outcomes">
          {money(shown.inventory, 0)}
        </Figure>
        <Figure name="fills" note={`${money(shown.counts['riskFilled'] ?? 0, 0)} staked`}>
          {shown.counts['fills'] ?? 0}
        </Figure>
        <Figure name="spread captured" tone={toneOf(figures.spread)} note="against the others' fair price">
          {signed(figures.spread)}
        </Figure>
      </dl>
    </section>
  );
}

const limitOf = ({ pnl }: Now): string =>
  pnl.dayLimit === null
    ? 'no limit of a day'
    : `limit ${money(pnl.dayLimit, 0)}, since ${pnl.dayStartsAt === null ? '?' : day(pnl.dayStartsAt)}`;

const creditOf = ({ balance, creditInUse }: Now): string =>
  balance === null || balance === 0
    ? `${money(creditInUse)} in use`
    : `${money(creditInUse)} in use, ${percent(creditInUse / balance, 0)}`;

function Links({ shown }: { readonly shown: Now }) {
  const t = runTime.value;
  return (
    <section>
      <h3>Connections and safety</h3>
      <dl class="figures">
        <FeedFigure name="price feed" feed={shown.prices} t={t} />
        <FeedFigure name="user feed" feed={shown.user} t={t} />
        <Figure
          name="guard"
          tone={shown.guard !== null ? 'good' : shown.needsGuard ? 'bad' : ''}
          note={shown.guard === null && shown.needsGuard ? 'if this bot hangs, its orders stay open' : undefined}
        >
          {past.value !== undefined ? 'not recorded' : shown.guard === null ? 'none' : `pid ${shown.guard}`}
        </Figure>
        <Figure name="kill switch" tone={shown.trading === 'active' ? 'good' : 'bad'}>
          {shown.trading}
        </Figure>
        <Figure
          name="player mode"
          tone={shown.mode === shown.wantedMode ? 'good' : 'bad'}
          note={`configured: ${shown.wantedMode}`}
        >
          {shown.mode ?? 'not known'}
        </Figure>
        <Figure
          name="orders of unknown fate"
          tone={shown.orders.unknown > 0 ? 'bad' : ''}
          note={`${shown.orders.unknownEver} in this run`}
        >
          {shown.orders.unknown}
        </Figure>
      </dl>
    </section>
  );
}

function FeedFigure({ name, feed, t }: { readonly name: string; readonly feed: Feed; readonly t: number }) {
  const drops = feed.drops === 0 ? undefined : `lost ${feed.drops} times`;
  return (
    <Figure name={name} tone={feed.up ? 'good' : 'bad'} note={drops}>
      {feed.up ? (feed.at === null ? 'up' : `up, ${age(t - feed.at)}`) : 'DOWN'}
    </Figure>
  );
}

function Quotes({ shown }: { readonly shown: Now }) {
  const { counts } = shown;
  const list = (all: Readonly<Record<string, number>>): string =>
    Object.entries(all)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return (
    <section>
      <h3>Quotes</h3>
      <dl class="figures">
        <Figure name="resting of wanted" note={`${percent(shown.quotedShare)} of the time`}>
          {shown.resting} / {shown.wanted}
        </Figure>
        <Figure name="markets">{shown.markets}</Figure>
        <Figure name="placed · edited" note={`${counts['refused'] ?? 0} refused`}>
          {counts['placed'] ?? 0} · {counts['edited'] ?? 0}
        </Figure>
        <Figure
          name="cancelled"
          note={`${counts['byOthers'] ?? 0} by others`}
          tone={(counts['byOthers'] ?? 0) > 0 ? 'bad' : ''}
        >
          {counts['cancelled'] ?? 0}
        </Figure>
        <Figure name="held by controls">{list(shown.held) || 'none'}</Figure>
        <Figure name="answers">{list(shown.http) || 'none'}</Figure>
        <Figure name="refusals">{list(shown.refusals) || 'none'}</Figure>
        <Figure name="external orders" tone={shown.orders.external > 0 ? 'bad' : ''}>
          {shown.orders.external}
        </Figure>
      </dl>
      <Latencies latencies={shown.latencies} />
      {Object.keys(shown.idle).length > 0 && (
        <details>
          <summary>Intents without a quote, by their reason</summary>
          <p>{list(shown.idle)}</p>
        </details>
      )}
    </section>
  );
}

function Latencies({ latencies }: Pick<Now, 'latencies'>) {
  const kinds = Object.entries(latencies);
  if (kinds.length === 0) return null;
  return (
    <table class="latencies">
      <thead>
        <tr>
          <th>answer to</th>
          {['median', '99 %', 'count'].map((name) => (
            <th key={name} class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map(([kind, { p50, p99, count }]) => (
          <tr key={kind}>
            <td>{kind}</td>
            <td class="number">{p50} ms</td>
            <td class="number">{p99} ms</td>
            <td class="number">{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function About({ shown }: { readonly shown: Now }) {
  return (
    <section class="about whole">
      <p>
        Account {shown.account} · run {shown.run} since {day(shown.startedAt)} · {shown.build} · {shown.config} (
        {shown.configHash}) · {shown.counts['frames'] ?? 0} frames · {clock(runTime.value)} UTC
      </p>
      {shown.journal !== null && <p>Journal: {shown.journal}</p>}
    </section>
  );
}
