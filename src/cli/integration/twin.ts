import type { z } from 'zod';
import type { MappingView } from '#licensing/purchases/integrations/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';
import type { DeskIntegration } from './view.ts';

/** A mapping as the desk answers it. */
export type DeskMapping = z.output<typeof MappingView>;

/** Operations on integrations and their mappings. */
export const integrationTwins = twinsOf(async () => {
  const declared = await import('#licensing/purchases/integrations/resource.ts');
  return [declared.integrationResource, declared.mappingResource];
});

const withInbox: Twins = async () => {
  const [{ inboundEventResource }, { inboxAdminEndpoints }] = await Promise.all([
    import('#licensing/purchases/inbox/resource.ts'),
    import('#licensing/purchases/inbox/admin-endpoints.ts'),
  ]);
  return [
    ...(await integrationTwins()),
    ...inboundEventResource.endpoints('license-admin'),
    ...inboxAdminEndpoints,
  ];
};

const withPurchases: Twins = async () => {
  const { licenseResource } = await import('#licensing/licenses/licenses/resource.ts');
  return [...(await withInbox()), ...licenseResource.endpoints('license-admin')];
};

const opening =
  (twins: Twins) =>
  <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
    withDesk(cli, twins, work);

/** Opens the desk of a command about integrations and their mappings. Throws as withDesk does. */
export const withIntegrations = opening(integrationTwins);

/** As withIntegrations, with what their processors reported. */
export const withInboundEvents = opening(withInbox);

/** As withInboundEvents, with the licenses that came of it. */
export const withSamples = opening(withPurchases);

/** Reads an integration and all that it sells. @param named its id or name */
export const integrationOf = async (desk: Desk, named: string): Promise<DeskIntegration> =>
  (await desk.get<{ integration: DeskIntegration }>(at`integrations/${named}`)).integration;
