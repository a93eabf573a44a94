import type { z } from 'zod';
import type { EmailView } from '#platform/mail/view.ts';
import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { loadStoreApi } from '../store/twin.ts';

/** An email as the desk answers it. */
export type EmailLine = z.output<typeof EmailView>;

const twins = async () => {
  const [{ emailResource }, { mailEndpoints }] = await Promise.all([
    import('#platform/mail/resource.ts'),
    import('#platform/mail/index.ts'),
  ]);
  return [...emailResource.endpoints('store'), ...mailEndpoints];
};

/** Opens the desk of a command about emails. Throws as withDesk does. */
export const withEmails = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);
