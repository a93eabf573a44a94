import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

const twins = twinsOf(async () => [(await import('#platform/alerts/resource.ts')).alertResource]);

/** Opens the desk of a command about alerts. Throws as withDesk does. */
export const withAlerts = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);
