// Pausing and resuming: a pause is a cancel-all that remembers, and a resume places again what of it still can rest. A resume
// counts as one place; while the pause drains it waits like an individual cancel.
import type { VenueOrder, Refusal, Placed, Venue } from '../../venue/index.ts';
import { refuse } from '../../venue/index.ts';
import { restTicketOf } from './order-entry.ts';
import { placedJson } from './order-json.ts';
import type { Answer, Call, Route, RouteContext } from './route.ts';
import { WRITE } from './route.ts';

export const pauseRoutes = ({ venue }: RouteContext): readonly Route[] => [
  {
    methods: WRITE,
    paths: ['/session/pauseOrders'],
    kind: 'cancelAll',
    handle: ({ account, nowMs }) => {
      venue.pause(account, nowMs);
      return { data: { ordersReceived: true } };
    },
  },
  {
    methods: WRITE,
    paths: ['/session/resumeOrders'],
    kind: 'place',
    handle: (call) => resume(venue, call),
  },
];

/** What was paused, oldest first, each with its own result. */
function resume(venue: Venue, { account, nowMs }: Call): Answer {
  const refusal = venue.lockRefusal(account, nowMs);
  if (refusal !== undefined) return refusal;
  const requestId = venue.newRequestId();
  const results = venue.run(nowMs, () =>
    venue.takePaused(account, () => true, nowMs).map((order) => again(venue, order, requestId, nowMs)),
  );
  return { data: { createdSessions: results.map(placedJson) } };
}

function again(venue: Venue, order: VenueOrder, requestId: string, nowMs: number): Placed | Refusal {
  const { account, mode } = order;
  if (mode !== account.mode) return refuse(409, `Order ${order.id} was placed in ${mode} mode`);
  const ticket = restTicketOf(venue, order, nowMs, requestId);
  return 'ok' in ticket ? ticket : venue.place(account, ticket, nowMs);
}
