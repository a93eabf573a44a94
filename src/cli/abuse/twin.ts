import type { Flag } from '#licensing/insight/abuse/view.ts';
import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** A flag as an operation answers it. */
export interface OneFlag {
  readonly flag: Flag;
}

const twins = async () => {
  const [{ abuseFlagResource }, { abuseRuleAdminEndpoints }] = await Promise.all([
    import('#licensing/insight/abuse/resource.ts'),
    import('#licensing/insight/abuse/admin-endpoints.ts'),
  ]);
  return [...abuseFlagResource.endpoints('license-admin'), ...abuseRuleAdminEndpoints];
};

/** Opens the desk of a command about abuse. Throws as withDesk does. */
export const withAbuse = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);
