import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { login, notice, whoAmI } from './api.ts';
import { Banner } from './parts/banner.tsx';
import { Identity, isDead } from './parts/identity.tsx';
import type { View } from './parts/route.ts';
import { go, route, VIEWS } from './parts/route.ts';
import { PastBar } from './parts/past-bar.tsx';
import { seek } from './past.ts';
import { connect, link, now, past, rows, runTime } from './stream.ts';
import './style.css';
import type { Past } from './wire.ts';
import { AlertsView } from './views/alerts.tsx';
import { FiguresView } from './views/figures.tsx';
import { FillsView } from './views/fills.tsx';
import { GamesView } from './views/games.tsx';
import { LogView } from './views/log.tsx';
import { MarketView } from './views/market.tsx';
import { MarketsView } from './views/markets.tsx';
import { NowView } from './views/now.tsx';
import { OrdersView } from './views/orders.tsx';
import { StrategiesView } from './views/strategies.tsx';

const DRAWN: Readonly<Record<View, () => preact.JSX.Element>> = {
  now: NowView,
  markets: MarketsView,
  market: MarketView,
  games: GamesView,
  orders: OrdersView,
  fills: FillsView,
  figures: FiguresView,
  strategies: StrategiesView,
  log: LogView,
  alerts: AlertsView,
};

function Page() {
  useEffect(() => {
    const pressed = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if (target instanceof HTMLInputElement || ctrlKey || metaKey || altKey) return;
      const view = VIEWS[Number(key) - 1];
      if (view !== undefined) go(view);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const { view } = route.value;
  useEffect(() => {
    // on a phone the chosen tab may be outside the screen
    document.querySelector('nav a[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);
  if (link.value === 'locked') return <Login />;
  const Drawn = DRAWN[view];
  return (
    <>
      <header>
        <Identity />
        <nav aria-label="Views">
          {VIEWS.map((name, index) => (
            <a
              key={name}
              data-view={name}
              href={`#/${name}`}
              aria-current={view === name || (view === 'market' && name === 'markets') ? 'page' : undefined}
              title={`key ${index + 1}`}
            >
              {name}
              <Badge view={name} />
            </a>
          ))}
        </nav>
        {past.value === undefined ? <Banner /> : <PastBar />}
      </header>
      <main class={isDead.value ? `${view} dead` : view}>
        <Drawn />
      </main>
      <Toast />
    </>
  );
}

/** The number of alerts that stand. */
function Badge({ view }: { readonly view: View }) {
  const count =
    view === 'alerts'
      ? Object.values(rows.alerts.value).filter(({ over }) => over === null).length
      : view === 'orders'
        ? (now.value?.orders.unknown ?? 0)
        : view === 'strategies'
          ? Object.values(rows.strategies.value).filter(({ state, offIn }) => state === 'off' || offIn > 0).length
          : 0;
  return count === 0 ? null : <span class="badge bad">{count}</span>;
}

function Toast() {
  const shown = notice.value;
  useEffect(() => {
    if (shown === undefined || shown.isBad) return undefined;
    const timer = setTimeout(() => (notice.value = undefined), 6000);
    return () => clearTimeout(timer);
  }, [shown]);
  if (shown === undefined) return null;
  return (
    <div class={`toast ${shown.isBad ? 'bad' : 'good'}`} role="status">
      {shown.text}{' '}
      <button type="button" aria-label="Close" onClick={() => (notice.value = undefined)}>
        ×
      </button>
    </div>
  );
}

function Login() {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  return (
    <form
      class="login"
      onSubmit={(event) => {
        event.preventDefault();
        const { value } = event.currentTarget.elements.namedItem('token') as HTMLInputElement;
        void login(value.trim()).then((refused) => {
          if (refused === undefined) void start();
          else setProblem(refused);
        });
      }}
    >
      <h1>oddsmaker</h1>
      <label>
        Token
        <input name="token" type="password" autocomplete="current-password" autofocus />
      </label>
      <button type="submit">Open</button>
      {problem !== undefined && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <p class="note">
        It is ops.token of the configuration; without one, the link in the bot's log has it, and a file beside the
        journal that ends in .page-token.
      </p>
    </form>
  );
}

let market: string | undefined;
let isBegun = false;
function begin(run: Past | undefined): void {
  past.value = run;
  isBegun = true;
  if (run !== undefined) {
    seek(run.from);
    return;
  }
  link.value = 'connecting';
  connect(market);
}

// the viewed market comes over the same stream
effect(() => {
  const { id } = route.value;
  if (id === market) return;
  market = id;
  if (!isBegun || link.peek() === 'locked') return;
  if (past.peek() === undefined) connect(market);
  else seek(runTime.peek());
});

async function start(): Promise<void> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    // the token must not stay in the browser's history
    history.replaceState(null, '', '#/now');
    await login(decodeURIComponent(token));
  }
  const me = await whoAmI();
  if (me === 'locked') link.value = 'locked';
  else begin(me?.past);
}

render(<Page />, document.getElementById('page') ?? document.body);
void start();
