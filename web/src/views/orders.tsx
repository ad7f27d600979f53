import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { age, money, odds } from '../format.ts';
import { linkTo } from '../parts/route.ts';
import { EndedStory, story, StoryRow, Why } from '../parts/story.tsx';
import { sideText, typeText } from '../place.ts';
import { rows, runTime } from '../stream.ts';
import type { Order } from '../wire.ts';

const GROUPS: readonly (readonly [title: string, note: string, fits: (order: Order) => boolean])[] = [
  [
    'Unknown',
    'Requests without an answer: these orders count in full until evidence shows what became of them.',
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
      <EndedStory listed={orders.map(([ref]) => ref)} />
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
          On the account, and not sent by this bot: they count, and are left alone unless orders.foreign says otherwise.
        </p>
        <OrderTable orders={externals} />
      </section>
    </>
  );
}

const COLUMNS = [
  ...['game', 'market', 'side', 'odds', 'risk', '', 'filled', 'may fill'],
  ...['status', 'age', 'strategy', 'known by'],
];

function OrderTable({ orders }: { readonly orders: readonly (readonly [string, Order])[] }) {
  const t = runTime.value;
  if (orders.length === 0) return null;
  return (
    <div class="wide">
      <table class="orders cards">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {orders.map(([ref, order]) => (
            <Fragment key={ref}>
              <tr>
                <td class="lead">
                  <a href={linkTo(order.market)}>{order.game}</a>
                </td>
                <td class="what">{typeText(order)}</td>
                <td class="side">{sideText(order.side, order)}</td>
                <td data-name="odds" class="number">
                  {odds(order.odds)}
                </td>
                <td data-name="risk" class="number">
                  {money(order.risk)}
                </td>
                <td class="why">{order.strategy !== undefined && <Why order={ref} />}</td>
                <td data-name="filled" class="number">
                  {money(order.filled ?? 0)}
                </td>
                <td data-name="may fill" class="number">
                  {money(order.mayFill)}
                </td>
                <td data-name="status">{order.status}</td>
                <td data-name="age" class="number">
                  {order.sentAt === undefined ? '–' : age(t - order.sentAt)}
                </td>
                <td data-name="strategy">{order.strategy ?? '–'}</td>
                <td class="long" data-name="known by" title={knownBy(order)}>
                  {knownBy(order)}
                </td>
              </tr>
              <StoryRow order={ref} columns={COLUMNS.length} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const knownBy = ({ orderId, linkedBy, placing, former }: Order): string =>
  [
    orderId ?? 'no id yet',
    linkedBy === 'signature' ? 'by its looks' : undefined,
    placing === undefined || placing === 'answered' ? undefined : `request ${placing}`,
    former ? 'of a former run' : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
