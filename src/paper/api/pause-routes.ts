// Routes for pause and resume. A pause is a cancel-all that remembers its orders; a resume places those again
// that can still rest. A resume counts as one place, and is refused like an individual cancel while the pause
// drains.
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

/** Places the paused orders again, oldest first, each with its own result. */
function resume(venue: Venue, { account, nowMs }: Call): Answer {
  const refusal = venue.lockRefusal(account, nowMs);
  if (refusal !== undefined) return refusal;
  const requestId = venue.newRequestId();
  const results = venue.run(nowMs, () =>
    venue.takePaused(account, () => true, nowMs).map((order) => placeAgain(venue, order, requestId, nowMs)),
  );
  return { data: { createdSessions: results.map(placedJson) } };
}

function placeAgain(venue: Venue, order: VenueOrder, requestId: string, nowMs: number): Placed | Refusal {
  const { account, mode } = order;
  if (mode !== account.mode) return refuse(409, `Order ${order.id} was placed in ${mode} mode`);
  const ticket = restTicketOf(venue, order, nowMs, requestId);
  return 'ok' in ticket ? ticket : venue.place(account, ticket, nowMs);
}
