import type { AdminLicenseView } from '#licensing/licenses/licenses/view.ts';
import type { UsageView } from '#licensing/licenses/usage/index.ts';
import { at, type ChangeOptions, type Desk } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';

/** A license as the desk answers it. */
export type DeskLicense = AdminLicenseView;

const licenseTwins: Twins = async () => {
  const { licenseResource } = await import('#licensing/licenses/licenses/resource.ts');
  return licenseResource.endpoints('license-admin');
};

const making: Twins = async () => {
  const { licenseBasis } = await import('#licensing/licenses/licenses/admin-basis.ts');
  const { creationOf } = await import('#platform/admin/admin-creation.ts');
  return [creationOf(licenseBasis)];
};

const withUsage: Twins = async () => {
  const { usageAdminEndpoints } = await import('#licensing/licenses/usage/admin-endpoints.ts');
  return [...(await licenseTwins()), ...usageAdminEndpoints];
};

const withMachinesAndUsage: Twins = async () => {
  const { machineAdminEndpoints } = await import('#licensing/licenses/machines/admin-endpoints.ts');
  const { activationResource } = await import('#licensing/licenses/machines/resource.ts');
  return [...(await withUsage()), ...machineAdminEndpoints, ...activationResource.endpoints('license-admin')];
};

const withProducts: Twins = async () => {
  const { productResource } = await import('#licensing/catalog/products/resource.ts');
  return [...(await licenseTwins()), ...productResource.endpoints('license-admin')];
};

/** Opens the desk of a command about licenses. Throws as withDesk does. */
export const withLicenses = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, licenseTwins, work);

/** As withLicenses, for a command that makes them and does nothing else. */
export const withLicenseMaking = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, making, work);

/** As withLicenses, with products. */
export const withLicensesAndProducts = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, withProducts, work);

/** As withLicenses, with what a license has used. */
export const withLicenseUsage = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, withUsage, work);

/** As withLicenseUsage, with the machines of a license. */
export const withMachines = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, withMachinesAndUsage, work);

/** A license as an operation answers it. */
export interface One {
  readonly license: DeskLicense;
}

/** A license, in the trash too. @throws NOT_FOUND */
export const anyLicenseOf = async (desk: Desk, id: string): Promise<DeskLicense> =>
  (await desk.get<One>(at`licenses/${id}`)).license;

/** A license outside of the trash. @throws NOT_FOUND */
export async function licenseOf(desk: Desk, id: string): Promise<DeskLicense> {
  const license = await anyLicenseOf(desk, id);
  if (license.deletedAt === undefined) return license;
  throw notFoundError(`license ${license.id} is in the trash`, 'appctl license list --trashed');
}

/** A license as a question names it: by what tells people which one it is. */
export const named = ({ id, keyPrefix, customerEmail, productSlug }: DeskLicense): string =>
  `license ${id} (${keyPrefix}…, ${productSlug} for ${customerEmail})`;

/** A license that was made, or made before by the same idempotency key. */
export interface Made extends One {
  /** Whole, where it was asked for. */
  readonly key: string | null;
  readonly idempotent: boolean;
  readonly idempotentMismatch: boolean;
}

/** The answer of a command that makes a license. */
export type Minted = DeskLicense & { key?: string; idempotent?: true };

export const mintedFrom = ({ license, key, idempotent }: Made): Minted => ({
  ...license,
  ...(key !== null && { key }),
  ...(idempotent && { idempotent: true as const }),
});

/** A license as it is shown where its key is not. */
export function withoutKey<T extends Minted>({ key, ...rest }: T): Omit<T, 'key'> & { key?: never } {
  return rest;
}

/** Does something with a license. @param action as the path says it */
export const act = async (
  desk: Desk,
  id: string,
  action: string,
  body: object = {},
  options: ChangeOptions = {},
): Promise<DeskLicense> => (await desk.post<One>(at`licenses/${id}/${action}`, body, options)).license;

/** The license of a whole key; somebody with a replaced one is told. @throws INVALID_KEY, NOT_FOUND */
export async function licenseOfKey(cli: Cli, desk: Desk, key: string): Promise<DeskLicense> {
  const { license } = await desk.post<One>('licenses/find', { key });
  if (!plain(key).startsWith(plain(license.keyPrefix))) {
    const { replacedWords } = await import('../desk/find-named.ts');
    cli.note(replacedWords(key.trim().toUpperCase().split('-').slice(0, 2).join('-'), license));
  }
  return license;
}

/** Letters and digits of a key, those that are taken for each other alike. */
const plain = (key: string): string =>
  key
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

/** What a license has used. @throws NOT_FOUND */
export const usageOf = async (desk: Desk, id: string): Promise<UsageView> =>
  (await desk.get<{ usage: UsageView }>(at`licenses/${id}/usage`, { limit: 1 })).usage;
