import { useEffect } from 'preact/hooks';
import { age, gameText, money, odds } from '../format.ts';
import { linkTo } from '../parts/route.ts';
import { story, Story, Why } from '../parts/story.tsx';
import { rows, runTime } from '../stream.ts';
import type { Order } from '../wire.ts';

const GROUPS: readonly (readonly [title: string, note: string, fits: (order: Order) => boolean])[] = [
  [
    'Unknown',
    'Nobody has answered: they count with their whole size until evidence settles them.',
    ({ status }) => status.includes('unknown'),
  ],
  [
    'In flight',
    'A request that places, moves or cancels them is on its way.',
    ({ status }) => ['sending', 'moving', 'cancelling'].includes(status),
  ],
  ['Resting', '', ({ status }) => status === 'open'],
];

export function OrdersView() {
  useEffect(() => () => void (story.value = undefined), []);
  const orders = Object.entries(rows.orders.value);
  const externals = Object.entries(rows.externals.value);
  return (
    <>
      {GROUPS.map(([title, note, fits]) => {
        const some = orders.filter(([, order]) => fits(order));
        return (
          <section key={title}>
            <h3>
              {title} · {some.length}
            </h3>
            {note !== '' && <p class="note">{note}</p>}
            <OrderTable orders={some} />
          </section>
        );
      })}
      <section>
        <h3>External · {externals.length}</h3>
        <p class="note">
          On the account, and not sent by this bot: they count, and are left alone unless orders.foreign says
          otherwise.
        </p>
        <OrderTable orders={externals} />
      </section>
      {story.value !== undefined && (
        <section>
          <h3>Why {story.value.order}</h3>
          <Story />
        </section>
      )}
    </>
  );
}

function OrderTable({ orders }: { readonly orders: readonly (readonly [string, Order])[] }) {
  const t = runTime.value;
  if (orders.length === 0) return null;
  return (
    <div class="wide">
      <table class="orders">
        <thead>
          <tr>
            {[
              'market',
              'side',
              'odds',
              'risk',
              'filled',
              'may fill',
              'status',
              'age',
              'known by',
              'strategy',
              '',
            ].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {orders.map(([ref, order]) => (
            <tr key={ref}>
              <td>
                <MarketLink id={order.market} />
              </td>
              <td>{order.side}</td>
              <td class="number">{odds(order.odds)}</td>
              <td class="number">{money(order.risk)}</td>
              <td class="number">{money(order.filled ?? 0)}</td>
              <td class="number">{money(order.mayFill)}</td>
              <td>{order.status}</td>
              <td class="number">{order.sentAt === undefined ? '–' : age(t - order.sentAt)}</td>
              <td>
                {order.orderId ?? 'no id yet'}
                {order.linkedBy === 'signature' ? ', by its looks' : ''}
                {order.placing === undefined || order.placing === 'answered'
                  ? ''
                  : `, request ${order.placing}`}
                {order.former ? ', of a former run' : ''}
              </td>
              <td>{order.strategy ?? '–'}</td>
              <td>{order.strategy !== undefined && <Why order={ref} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MarketLink({ id }: { readonly id: string }) {
  const market = rows.markets.value[id];
  return <a href={linkTo(id)}>{market === undefined ? id : gameText(market)}</a>;
}
