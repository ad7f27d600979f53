import { age, day } from '../format.ts';
import { rows, runTime } from '../stream.ts';
import type { Alert } from '../wire.ts';

export function AlertsView() {
  const all = Object.entries(rows.alerts.value).reverse();
  const standing = all.filter(([, { over }]) => over === null);
  const past = all.filter(([, { over }]) => over !== null);
  return (
    <>
      <section>
        <h3>Now · {standing.length}</h3>
        {standing.length === 0 ? <p class="empty">No alert stands.</p> : <Alerts alerts={standing} />}
      </section>
      <section>
        <h3>Over</h3>
        {past.length === 0 ? <p class="empty">None.</p> : <Alerts alerts={past} />}
      </section>
    </>
  );
}

function Alerts({ alerts }: { readonly alerts: readonly (readonly [string, Alert])[] }) {
  const t = runTime.value;
  return (
    <ol class="log">
      {alerts.map(([number, { alert, level, text, since, over }]) => (
        <li key={number} class={over === null ? level : ''}>
          <time>{day(since)}</time> <b>{alert}</b> {text}{' '}
          <code>{over === null ? `for ${age(t - since)}` : `it lasted ${age(over - since)}`}</code>
        </li>
      ))}
    </ol>
  );
}
