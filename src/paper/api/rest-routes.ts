// The REST surface as one table; the HTTP around it is in rest-server.ts.
import { bookRoutes } from './book-routes.ts';
import { cancelRoutes } from './cancel-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { orderRoutes } from './order-routes.ts';
import { pauseRoutes } from './pause-routes.ts';
import type { Route, RouteContext } from './route.ts';
import { userRoutes } from './user-routes.ts';
import { wagerRoutes } from './wager-routes.ts';

export const routesOf = (context: RouteContext): readonly Route[] => [
  ...userRoutes(context),
  ...discoveryRoutes(context),
  ...bookRoutes(context),
  ...orderRoutes(context),
  ...cancelRoutes(context),
  ...pauseRoutes(context),
  ...wagerRoutes(context),
];
