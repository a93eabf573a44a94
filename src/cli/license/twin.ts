import type { AdminLicenseView } from '#licensing/licenses/licenses/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** A license as the desk answers it. */
export type DeskLicense = AdminLicenseView;

const licenses: Twins = async () => {
  const { licenseResource } = await import('#licensing/licenses/licenses/resource.ts');
  return licenseResource.endpoints('license-admin');
};

const withUsage: Twins = async () => {
  const { usageAdminEndpoints } = await import('#licensing/licenses/usage/admin-endpoints.ts');
  return [...(await licenses()), ...usageAdminEndpoints];
};

const withMachinesAndUsage: Twins = async () => {
  const { machineAdminEndpoints } = await import('#licensing/licenses/machines/admin-endpoints.ts');
  return [...(await withUsage()), ...machineAdminEndpoints];
};

/** Opens the desk of a command about licenses. Throws as withDesk does. */
export const withLicenses = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, licenses, work);

/** As withLicenses, with what a license has used. */
export const withLicenseUsage = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, withUsage, work);

/** As withLicenseUsage, with the machines of a license. */
export const withMachines = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, withMachinesAndUsage, work);

interface One {
  readonly license: DeskLicense;
}

/** A license outside of the trash. @throws NOT_FOUND */
export const licenseOf = async (desk: Desk, id: string): Promise<DeskLicense> =>
  (await desk.get<One>(at`licenses/${id}`)).license;

/** The license of a whole key. @throws INVALID_KEY, NOT_FOUND */
export const licenseOfKey = async (desk: Desk, key: string): Promise<DeskLicense> =>
  (await desk.post<One>('licenses/find', { key })).license;
