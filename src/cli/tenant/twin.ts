import type { TenantView } from '#platform/tenants/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A tenant as the desk answers it. */
export type Tenant = TenantView;

/** A tenant as an operation answers it. */
export interface OneTenant {
  readonly tenant: Tenant;
}

const twins = twinsOf(async () => {
  const [tenants, keyFormats] = await Promise.all([
    import('#platform/tenants/resource.ts'),
    import('#licensing/catalog/key-formats/resource.ts'),
  ]);
  return [tenants.tenantResource, keyFormats.keyFormatResource];
});

/** Opens the desk of a command about tenants. Throws as withDesk does. */
export const withTenants = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads a tenant by its slug or id. */
export const tenantOf = async (desk: Desk, name: string): Promise<Tenant> =>
  (await desk.get<OneTenant>(at`tenants/${name}`)).tenant;
