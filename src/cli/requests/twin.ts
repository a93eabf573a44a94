import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';
import { flushServer } from '../fresh.ts';

const twins = twinsOf(async () => [
  (await import('#licensing/insight/requests/resource.ts')).requestResource,
]);

/** Opens the desk of a command about recorded requests, those of a moment ago among them. Throws as withDesk does. */
export const withRequests = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, async (desk) => {
    // A server writes what it has seen when it is asked; here another process may hold it.
    if (desk.local) await flushServer(cli);
    return work(desk);
  });
