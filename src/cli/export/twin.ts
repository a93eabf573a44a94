import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** Opens the desk of a command that exports or imports files. Throws as withDesk does. */
export const withTransfers = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(
    cli,
    async () => (await import('#licensing/moving/transfers/admin-endpoints.ts')).transferEndpoints,
    work,
  );
