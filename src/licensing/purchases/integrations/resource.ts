import { z } from 'zod';
import { adminResource, beside } from '#platform/admin/index.ts';
import { endpointUrl } from './integration.ts';
import * as integrations from './integrations.ts';
import { mapProduct, mappingsOf, unmapProduct, updateMapping } from './mappings/mappings.ts';
import { mappingRows } from './mappings/queries.ts';
import { integrationRows } from './queries.ts';
import type { Integration, ProductMapping } from './record.ts';
import { IntegrationCreate, IntegrationUpdate, MappingInput, MappingUpdate } from './schemas.ts';
import { integrationScreen, mappingScreen } from './screen.ts';
import {
  IntegrationDetails,
  IntegrationView,
  integrationView,
  ListedIntegration,
  MappingView,
} from './view.ts';

/** Only when the secret was made here: it is shown this once. */
const shownOnce = { signingSecret: z.string().optional() };
const told = (secret: string | undefined) => (secret === undefined ? {} : { signingSecret: secret });

/** Payment processors whose purchases become licenses, for staff (licensing 4.2, Integrations in). */
export const integrationResource = adminResource<
  Integration,
  typeof IntegrationCreate,
  typeof IntegrationUpdate
>({
  name: 'integrations',
  labels: { one: 'integration', many: 'integrations' },
  about: 'Payment processors whose purchases become licenses',
  needs: { read: 'licensing:read', write: 'licensing:secrets' },
  screen: integrationScreen,
  rows: integrationRows,
  get: (ctx, idOrName) => integrations.get(ctx, idOrName),
  create: {
    schema: IntegrationCreate,
    summary: 'Create an integration; enter its endpointUrl at the processor',
    beside: { ...shownOnce, endpointUrl: z.string() },
    sudo: true,
    run: async (ctx, input, how) => {
      const { config, secret } = await integrations.create(ctx, input, how);
      return beside(config, { endpointUrl: endpointUrl(ctx.baseUrl, config.id), ...told(secret) });
    },
  },
  edit: {
    schema: IntegrationUpdate,
    summary: 'Change an integration; a replaced secret stays valid for 24 hours',
    beside: shownOnce,
    sudo: true,
    run: async (ctx, id, changes, how) => {
      const { config, secret } = await integrations.update(ctx, id, changes, how);
      return beside(config, told(secret));
    },
  },
  remove: {
    level: 'severe',
    summary: 'Delete an integration and its mappings; its events are kept',
    errors: [],
    sudo: true,
    run: (ctx, id, how) => integrations.remove(ctx, id, how),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/integrations',
      key: 'configId',
      item: 'integration',
      view: IntegrationView,
      toView: (config, ctx) => integrationView(ctx, config),
      details: {
        view: IntegrationDetails,
        toView: async (config, ctx) => ({
          ...integrationView(ctx, config),
          mappings: await mappingsOf(ctx, config.id),
        }),
        listed: ListedIntegration,
      },
      summaries: { list: 'List the integrations, by name', get: 'Show one integration and its mappings' },
    },
  ],
});

const within = ({ configId = '' }: Readonly<Record<string, string>>): string => configId;

/** What the products of a payment processor are here, for staff (licensing 4.2, Integrations in). */
export const mappingResource = adminResource<ProductMapping, typeof MappingInput, typeof MappingUpdate>({
  name: 'mappings',
  labels: { one: 'mapping', many: 'mappings' },
  about: 'Products of payment processors and the licenses they create',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: mappingScreen,
  rows: mappingRows,
  create: {
    schema: MappingInput,
    body: 'MappingInputBody',
    status: 200,
    summary: 'Map a product of the processor, or change the mapping of its external ID',
    errors: [],
    run: (ctx, input, how) => mapProduct(ctx, within(how.named), input, how),
  },
  edit: {
    schema: MappingUpdate,
    run: (ctx, id, changes, how) => updateMapping(ctx, within(how.named), id, changes, how),
  },
  remove: {
    level: 'moderate',
    summary: 'Delete a mapping; later purchases of that product are unmapped',
    errors: [],
    run: (ctx, id, how) => unmapProduct(ctx, within(how.named), id, how),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/integrations/{configId}/mappings',
      parent: {
        name: 'configId',
        filter: 'configId',
        find: async (ctx, named) => (await integrations.get(ctx, named)).id,
      },
      item: 'mapping',
      view: MappingView,
      toView: (mapping) => ({ ...mapping }),
      summaries: { list: 'List the mappings of an integration, by external id' },
    },
  ],
});
