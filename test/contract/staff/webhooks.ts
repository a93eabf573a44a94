// Webhooks and what was sent to them: a delivery has failed, so that it may be sent again.
import type { Ctx } from '#kernel/context.ts';
import {
  licenseDeliveryResource,
  licenseWebhookDeliveryResource,
  licenseWebhookResource,
} from '#licensing/insight/webhooks/resource.ts';
import { DELIVERY_STATES, deliveryRecord, webhookRecord } from '#platform/webhooks/record.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';
import { insertWebhook } from '../../support/webhooks.ts';

/** Nobody listens there: a sending fails at once. */
const webhook = (ctx: Ctx): Promise<string> =>
  insertWebhook(ctx, { url: 'http://127.0.0.1:9/hook', events: ['LICENSE_EXPIRED'] });

const OLD = '2020-01-01T00:00:00.000Z';

export const webhookSample: ResourceSample = {
  resource: licenseWebhookResource,
  rows: {
    'GET /webhooks': 'licensing:read',
    'GET /webhooks/export': 'licensing:read',
    'GET /webhooks/{id}': 'licensing:read',
    'POST /webhooks': 'licensing:secrets',
    'POST /webhooks/bulk': 'licensing:write',
    'PATCH /webhooks/{id}': 'licensing:write',
    'DELETE /webhooks/{id}': 'licensing:write',
    'POST /webhooks/{id}/enable': 'licensing:write',
    'POST /webhooks/{id}/disable': 'licensing:write',
    'POST /webhooks/{id}/test': 'licensing:write',
    'POST /webhooks/{id}/test-request': 'licensing:write',
    'POST /webhooks/{id}/rotate-secret': 'licensing:secrets',
    'POST /webhooks/{id}/replay': 'licensing:write',
  },
  make: async (ctx) => ({ id: await webhook(ctx) }),
  bodies: {
    'POST /webhooks': () => ({ url: 'https://203.0.114.7/hook', note: 'for the shop' }),
    'PATCH /webhooks/{id}': () => ({ name: 'another name', headers: { Authorization: 'Bearer x' } }),
    'POST /webhooks/{id}/enable': () => ({ note: 'repaired' }),
    'POST /webhooks/{id}/disable': () => ({ note: 'moves' }),
    'POST /webhooks/{id}/test': () => ({ event: 'LICENSE_CREATED' }),
    'POST /webhooks/{id}/test-request': () => ({ overrides: [{ path: 'data.details.note', value: 'x' }] }),
    'POST /webhooks/{id}/rotate-secret': () => ({}),
    'POST /webhooks/{id}/replay': () => ({
      from: '2026-01-01T00:00:00Z',
      to: '2027-01-01T00:00:00+02:00',
    }),
  },
  seed: (ctx, n) =>
    seedRows(ctx, webhookRecord.table, n, (i) =>
      webhookRecord.write(
        {
          id: ctx.newId('whk'),
          service: 'license',
          tenantId: ctx.tenantId,
          // The first characters are what a spreadsheet would run.
          name: i % 7 === 0 ? `=seeded ${i}` : `seeded ${i}`,
          url: `https://203.0.114.7/hook/${i}`,
          events: i % 3 === 0 ? ['LICENSE_EXPIRED'] : ['LICENSE_CREATED', 'LICENSE_REVOKED'],
          productIds: null,
          redactEmail: false,
          enabled: i % 2 === 0,
          disabledAt: i % 2 === 0 ? null : OLD,
          disabledReason: i % 2 === 0 ? null : 'moves',
          consecutiveFailures: i % 20,
          previousUntil: null,
          createdAt: i % 4 === 0 ? OLD : ctx.now(),
          updatedAt: ctx.now(),
        },
        { headersEnc: null, secretEnc: 'x', createdBy: null },
      ),
    ),
  filters: {
    q: '=SEED',
    enabled: 'false',
    event: 'LICENSE_REVOKED',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
  },
  bulk: { action: 'disable' },
};

async function failedDelivery(ctx: Ctx, webhookId: string): Promise<string> {
  const id = ctx.newId('dlv');
  const at = ctx.now();
  await ctx.db.knex('webhook_deliveries').insert({
    id,
    webhook_id: webhookId,
    tenant_id: ctx.tenantId,
    event_id: ctx.newId('evt'),
    event: 'LICENSE_EXPIRED',
    subject: ctx.newId('lic'),
    body: '{"event":"LICENSE_EXPIRED"}',
    state: 'FAILED',
    attempts: 1,
    last_status: 404,
    last_ms: 3,
    created_at: at,
    ended_at: at,
  });
  await ctx.db.knex('webhook_attempts').insert({
    delivery_id: id,
    run: 0,
    n: 1,
    ms: 3,
    status: 404,
    request_headers: '{"X-Webhook-Attempt":"1"}',
    response_headers: '{"Server":"x"}',
    response_excerpt: 'no such page',
    created_at: at,
  });
  return id;
}

/** Deliveries of each of some webhooks in turn. */
const seedDeliveries = (ctx: Ctx, n: number, webhookIds: readonly string[]): Promise<void> =>
  seedRows(ctx, deliveryRecord.table, n, (i) =>
    deliveryRecord.write(
      {
        id: ctx.newId('dlv'),
        webhookId: webhookIds[i % webhookIds.length] as string,
        eventId: ctx.newId('evt'),
        event: i % 3 === 0 ? 'LICENSE_EXPIRED' : 'LICENSE_CREATED',
        subject: i % 5 === 0 ? '=lic' : ctx.newId('lic'),
        body: '{}',
        state: DELIVERY_STATES[i % 4] as (typeof DELIVERY_STATES)[number],
        isTest: i % 6 === 5,
        run: 0,
        attempts: 0,
        nextAttemptAt: null,
        lastStatus: ANSWERS[i % ANSWERS.length] ?? null,
        lastError: null,
        lastMs: i % 7 === 6 ? null : 12,
        createdAt: i % 2 === 0 ? OLD : ctx.now(),
        endedAt: i % 4 === 0 ? null : i % 4 === 1 ? OLD : ctx.now(),
      },
      { tenantId: ctx.tenantId },
    ),
  );
const ANSWERS = [204, 404, 503, null];

const deliveryFilters = {
  event: 'LICENSE_CREATED',
  state: 'FAILED,PENDING',
  http: '4xx,none',
  subject: '=lic',
  test: 'true',
  from: '2021-01-01T00:00:00Z',
  to: '2021-01-01T00:00:00Z',
};

const webhooksOf = (ctx: Ctx): Promise<{ id: string }[]> =>
  ctx.db.knex(webhookRecord.table).where({ tenant_id: ctx.tenantId }).orderBy('id').select('id');

export const deliverySample: ResourceSample = {
  resource: licenseDeliveryResource,
  rows: {
    'GET /deliveries': 'licensing:read',
    'GET /deliveries/export': 'licensing:read',
    'POST /deliveries/bulk': 'licensing:write',
    'GET /deliveries/{id}': 'licensing:read',
    'POST /deliveries/{id}/redeliver': 'licensing:write',
  },
  make: async (ctx) => {
    const id = await webhook(ctx);
    return { id: await ctx.tx((ctx) => failedDelivery(ctx, id)) };
  },
  bodies: {
    'POST /deliveries/bulk': ({ id }) => ({ action: 'redeliver', ids: [id] }),
    'POST /deliveries/{id}/redeliver': () => ({ note: 'again' }),
  },
  async seed(ctx, n) {
    if ((await webhooksOf(ctx)).length < 2) for (let at = 0; at < 2; at += 1) await webhook(ctx);
    const ids = (await webhooksOf(ctx)).map(({ id }) => id);
    await seedDeliveries(ctx, n, ids);
  },
  filters: deliveryFilters,
};

export const webhookDeliverySample: ResourceSample = {
  resource: licenseWebhookDeliveryResource,
  rows: {
    'GET /webhooks/{id}/deliveries': 'licensing:read',
    'GET /webhooks/{id}/deliveries/export': 'licensing:read',
    'POST /webhooks/{id}/deliveries/bulk': 'licensing:write',
  },
  async make(ctx) {
    const webhookId = await webhook(ctx);
    return { 'webhooks/id': webhookId, id: await ctx.tx((ctx) => failedDelivery(ctx, webhookId)) };
  },
  bodies: {
    'POST /webhooks/{id}/deliveries/bulk': ({ id }) => ({ action: 'redeliver', ids: [id] }),
  },
  async seed(ctx, n) {
    const id = (await webhooksOf(ctx))[0]?.id ?? (await webhook(ctx));
    await seedDeliveries(ctx, n, [id]);
    return { id };
  },
  filters: deliveryFilters,
};
