// Integrations, what their products are here, and an event of a product that no mapping names.
import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { LICENSE_TIERS } from '#licensing/contract/enumerations.ts';
import { EVENT_STATUSES } from '#licensing/purchases/inbox/outcome.ts';
import { inboundEventRecord } from '#licensing/purchases/inbox/record.ts';
import { inboundEventResource } from '#licensing/purchases/inbox/resource.ts';
import { MAPPED_TYPES } from '#licensing/purchases/integrations/choices.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { integrationRecord, mappingRecord } from '#licensing/purchases/integrations/record.ts';
import { integrationResource, mappingResource } from '#licensing/purchases/integrations/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { reported } from '../purchase.ts';

const OLD = '2020-01-01T00:00:00.000Z';
let made = 0;

const integration = async (ctx: Ctx): Promise<string> => {
  const input = { processor: 'GENERIC', signingSecret: 'a secret of the processor' } as const;
  return (await integrations.create(ctx, { ...input, name: `sample ${made++}` })).config.id;
};

const product = (ctx: Ctx) => products.create(ctx, { name: 'Sold', slug: `sold-${made++}` });

/** The integration that rows of a tenant are seeded for. */
const seeded = async (ctx: Ctx): Promise<string> =>
  (await ctx.db.knex(integrationRecord.table).where({ tenant_id: ctx.tenantId }).first('id'))?.id ??
  integration(ctx);

export const integrationSample: ResourceSample = {
  resource: integrationResource,
  rows: {
    'GET /integrations': 'licensing:read',
    'GET /integrations/export': 'licensing:read',
    'GET /integrations/{configId}': 'licensing:read',
    'POST /integrations': 'licensing:secrets',
    'PATCH /integrations/{configId}': 'licensing:secrets',
    'DELETE /integrations/{configId}': 'licensing:secrets',
  },
  make: async (ctx) => ({ configId: await integration(ctx) }),
  bodies: {
    'POST /integrations': () => ({
      name: `new ${made++}`,
      processor: 'STRIPE',
      signingSecret: 's'.repeat(16),
    }),
    'PATCH /integrations/{configId}': () => ({ enabled: false }),
  },
  seed: (ctx, n) =>
    seedRows(ctx, integrationRecord.table, n, (i) => {
      const id = ctx.newId('inb');
      return integrationRecord.part({
        id,
        tenantId: ctx.tenantId,
        // The first characters are what a spreadsheet would run.
        name: `${i % 7 === 0 ? '=' : ''}seeded ${i} ${id}`,
        processor: i % 3 === 0 ? 'STRIPE' : 'GENERIC',
        secretEnc: 'x',
        previousSecretEnc: null,
        previousUntil: null,
        notificationUrl: null,
        enabled: i % 2 === 0,
        lastEventAt: i % 3 === 0 ? null : i % 3 === 1 ? OLD : ctx.now(),
        createdAt: i % 4 === 0 ? OLD : ctx.now(),
        updatedAt: ctx.now(),
      });
    }),
  filters: {
    q: '=SEED',
    processor: 'STRIPE',
    enabled: 'false',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    lastEventFrom: '2021-01-01T00:00:00Z',
    lastEventTo: '2021-01-01T00:00:00Z',
  },
};

export const mappingSample: ResourceSample = {
  resource: mappingResource,
  rows: {
    'GET /integrations/{configId}/mappings': 'licensing:read',
    'GET /integrations/{configId}/mappings/export': 'licensing:read',
    'GET /integrations/{configId}/mappings/{id}': 'licensing:read',
    'POST /integrations/{configId}/mappings': 'licensing:write',
    'PATCH /integrations/{configId}/mappings/{id}': 'licensing:write',
    'DELETE /integrations/{configId}/mappings/{id}': 'licensing:write',
  },
  async make(ctx) {
    const configId = await integration(ctx);
    const { id: productId } = await product(ctx);
    const input = { externalProductId: 'plan_1', productId, licenseType: 'PERPETUAL' } as const;
    return { configId, product: productId, id: (await integrations.mapProduct(ctx, configId, input)).id };
  },
  bodies: {
    'POST /integrations/{configId}/mappings': ({ product }) => ({
      externalProductId: 'plan_2',
      productId: product,
      licenseType: 'SUBSCRIPTION',
      durationDays: 30,
    }),
    'PATCH /integrations/{configId}/mappings/{id}': () => ({ maxActivations: 3 }),
  },
  async seed(ctx, n) {
    const configId = await seeded(ctx);
    if (n === 0) return { configId };
    const sold = [await product(ctx), await products.create(ctx, { name: 'Rare', slug: `rare-${made++}` })];
    await seedRows(ctx, mappingRecord.table, n, (i) =>
      mappingRecord.write({
        id: ctx.newId('map'),
        configId,
        // The first characters are what a spreadsheet would run.
        externalProductId: `${i % 7 === 0 ? '=' : ''}plan ${made++}`,
        productId: sold[i % 6 === 0 ? 1 : 0]?.id ?? '',
        licenseType: MAPPED_TYPES[i % 4] as (typeof MAPPED_TYPES)[number],
        licenseTier: LICENSE_TIERS[i % 2] as (typeof LICENSE_TIERS)[number],
        maxActivations: 1,
        durationDays: null,
        policyId: null,
        quantityMode: 'LICENSES',
        onRefund: 'NONE',
        createdAt: ctx.now(),
        updatedAt: ctx.now(),
      }),
    );
    return { configId };
  },
  filters: { q: '=PLAN', licenseType: 'TRIAL', licenseTier: LICENSE_TIERS[0] },
};

export const inboundEventSample: ResourceSample = {
  resource: inboundEventResource,
  rows: {
    'GET /integrations/{configId}/events': 'licensing:read',
    'GET /integrations/{configId}/events/export': 'licensing:read',
    'GET /inbound-events/{id}': 'licensing:read',
    'POST /inbound-events/{id}/reprocess': 'licensing:write',
  },
  async make(ctx) {
    const configId = await integration(ctx);
    return { configId, id: await reported(ctx, configId) };
  },
  bodies: { 'POST /inbound-events/{id}/reprocess': () => ({}) },
  async seed(ctx, n) {
    const configId = await seeded(ctx);
    await seedRows(ctx, inboundEventRecord.table, n, (i) =>
      inboundEventRecord.write(
        {
          id: ctx.newId('ibe'),
          configId,
          // The first characters are what a spreadsheet would run.
          processorEventId: `${i % 7 === 0 ? '=' : ''}evt ${made++}`,
          eventName: i % 5 === 0 ? 'order.refunded' : 'order.completed',
          status: EVENT_STATUSES[i % EVENT_STATUSES.length] as (typeof EVENT_STATUSES)[number],
          reason: i % 3 === 0 ? 'UNMAPPED' : null,
          error: null,
          licensesCreated: i % 4,
          unmapped: [],
          attempts: 0,
          nextAttemptAt: null,
          receivedAt: i % 2 === 0 ? OLD : ctx.now(),
          processedAt: null,
          spooled: false,
        },
        {
          tenantId: ctx.tenantId,
          paymentId: null,
          orderId: null,
          body: '',
          headers: {},
          createdAt: ctx.now(),
        },
      ),
    );
    return { configId };
  },
  filters: {
    q: '=EVT',
    status: 'FAILED',
    reason: 'UNMAPPED',
    eventName: 'order.refunded',
    from: '2021-01-01T00:00:00Z',
    to: '2021-01-01T00:00:00Z',
  },
};
