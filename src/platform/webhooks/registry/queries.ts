import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { elementsOf } from '#kernel/db/dialect.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { Selection } from '#kernel/db/selection/spec.ts';
import { belonging, visibleByList } from '#kernel/db/visible.ts';
import { resourceOf } from '../events.ts';
import {
  attemptRecord,
  DELIVERY_STATES,
  type DeliveryState,
  deliveryRecord,
  webhookRecord,
} from '../record.ts';
import type { WebhookServiceName } from '../service.ts';
import type { Attempt, Delivery, DeliveryRecord, DeliveryWithBody, Webhook } from '../webhook.ts';
import * as repo from './repository.ts';

/** Which deliveries; all of the webhook when empty. */
export interface DeliveryFilter {
  events?: readonly string[] | undefined;
  states?: readonly DeliveryState[] | undefined;
  /** ISO time: those whose event happened then or later. */
  from?: string | undefined;
  /** ISO time: those whose event happened before. */
  to?: string | undefined;
}

const TABLE = deliveryRecord.table;

/** What a receiver answered last; `none` where nothing came back. */
const HTTP_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

const STATUS = `${TABLE}.last_status`;

function ofClasses(query: Knex.QueryBuilder, classes: readonly (typeof HTTP_CLASSES)[number][]): void {
  query.where((any) => {
    for (const one of classes) {
      const from = Number(one[0]) * 100;
      if (one === 'none') any.orWhere((none) => none.whereNull(STATUS).whereNotNull(`${TABLE}.last_ms`));
      else any.orWhereBetween(STATUS, [from, from + 99]);
    }
  });
}

/** People know a webhook by its name. */
const NAME = 'webhooks.name as webhook_name';
const nameIn = (row: object): string => String((row as { webhook_name: unknown }).webhook_name);

const STORE_STATES = ['pending', 'delivered', 'failed', 'skipped'] as const;

/** What lists can be narrowed and ordered by, as the JSON of each service calls it (Z20). */
const words = {
  license: {
    enabled: { name: 'enabled', label: 'Enabled' },
    name: { sort: 'name', label: 'Name' },
    failures: 'consecutiveFailures',
    state: {
      name: 'state',
      filter: filter.choice(DELIVERY_STATES, { label: 'State', column: `${TABLE}.state` }),
    },
  },
  store: {
    enabled: { name: 'active', label: 'Active' },
    name: { sort: 'description', label: 'Description' },
    failures: 'failures',
    state: {
      name: 'status',
      filter: filter.choice(STORE_STATES, {
        label: 'Status',
        column: (query, states) =>
          void query.whereIn(
            `${TABLE}.state`,
            states.map((state) => state.toUpperCase()),
          ),
      }),
    },
  },
} as const;

/** Deliveries of a service's webhooks, each with its attempts. */
export const deliveryRows = (service: WebhookServiceName): Selection<DeliveryRecord> => {
  const { state } = words[service];
  return selection<DeliveryRecord>({
    from: ({ db }) => db.knex(TABLE).join('webhooks', 'webhooks.id', `${TABLE}.webhook_id`),
    id: `${TABLE}.id`,
    scope: (query, ctx, byId) => {
      belonging(ctx, query, { [`${TABLE}.tenant_id`]: ctx.tenantId, 'webhooks.service': service }, byId);
      visibleByList(ctx, query, 'webhooks.product_ids');
    },
    columns: [`${TABLE}.*`, NAME],
    read: (row) => ({ ...deliveryRecord.read(row), webhookName: nameIn(row), log: [] }),
    complete: async (ctx, rows) => {
      const logs = await attemptsOf(
        ctx,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => ({ ...row, log: logs.get(row.id) ?? [] }));
    },
    filters: {
      webhookId: filter.lookup({
        label: 'Webhook',
        column: `${TABLE}.webhook_id`,
        resource: resourceOf[service],
      }),
      event: filter.anyOf({ label: 'Event', column: `${TABLE}.event` }),
      [state.name]: state.filter,
      http: filter.choice(HTTP_CLASSES, { label: 'HTTP class of the last answer', column: ofClasses }),
      subject: filter.text({ label: 'Subject', column: `${TABLE}.subject` }),
      test: filter.flag({ label: 'Test', column: `${TABLE}.is_test` }),
      '': filter.times({ label: 'Time', column: `${TABLE}.created_at` }),
    },
    sorts: {
      created: `${TABLE}.created_at`,
      ended: { column: `${TABLE}.ended_at`, isNullable: true },
      event: `${TABLE}.event`,
      [state.name]: `${TABLE}.state`,
    },
    initial: '-created',
  });
};

/** Webhooks of a service. */
export const webhookRows = (service: WebhookServiceName): Selection<Webhook> => {
  const { enabled, name, failures } = words[service];
  return selection<Webhook, repo.Row>({
    from: ({ db }) => db.knex(webhookRecord.table),
    id: 'id',
    scope: (query, ctx, byId) => {
      belonging(ctx, query, { service, tenant_id: ctx.tenantId }, byId);
      visibleByList(ctx, query, 'product_ids');
    },
    columns: ['*'],
    read: (row, ctx) => repo.toWebhook(ctx, row),
    filters: {
      [enabled.name]: filter.flag({ label: enabled.label, column: 'enabled' }),
      event: filter.text({
        label: 'Event',
        column: (query, event, { db }) =>
          void query.whereExists(elementsOf(db.knex, 'events').whereIn('element', [event, '*'])),
      }),
      created: filter.times({ label: 'Created', column: 'created_at' }),
    },
    search: { placeholder: `${name.label} or URL`, by: ['name', 'url'] },
    sorts: {
      created: 'created_at',
      updated: 'updated_at',
      [name.sort]: 'name',
      url: 'url',
      [failures]: 'consecutive_failures',
    },
    initial: 'created',
  });
};

/** What became of the deliveries of a webhook. */
export interface WebhookFigures {
  /** In the last 24 hours, without tests; those still on their way are in neither. */
  delivered: number;
  failed: number;
  /** Attempts of the deliveries of the last 24 hours that failed, also of those still on their way. */
  failedAttempts: number;
  /** When its newest delivery was queued; null when it never had one. */
  lastAt: string | null;
  /** When its receiver last took a delivery; null when it never did. */
  lastSuccessAt: string | null;
}

/** Figures of the webhooks of a page: two questions for all of them. */
export async function figuresOf(ctx: Ctx, ids: readonly string[]): Promise<(id: string) => WebhookFigures> {
  const { knex } = ctx.db;
  const since = addSeconds(ctx.now(), -SECONDS_PER_DAY);
  const ended: { webhook_id: string; state: DeliveryState; n: unknown; attempts: unknown }[] = await knex(
    TABLE,
  )
    .whereIn('webhook_id', [...ids])
    .where('created_at', '>', since)
    .where({ is_test: false })
    .groupBy('webhook_id', 'state')
    .select('webhook_id', 'state')
    .count({ n: '*' })
    .sum({ attempts: 'attempts' });
  // One step along the index for each webhook; grouped, every delivery would be read.
  const newest = knex(TABLE).whereRaw('webhook_id = webhooks.id').max('created_at');
  const taken = knex(TABLE)
    .whereRaw('webhook_id = webhooks.id')
    .where({ state: 'DELIVERED' })
    .orderBy('created_at', 'desc')
    .limit(1)
    .select('ended_at');
  const last: { id: string; last_at: string | null; taken_at: string | null }[] = await knex('webhooks')
    .whereIn('id', [...ids])
    .select({ id: 'id', last_at: newest, taken_at: taken });
  const counts = new Map(ended.map(({ webhook_id, state, n }) => [`${webhook_id} ${state}`, Number(n)]));
  const times = new Map(last.map((row) => [row.id, row]));
  const failedAttempts = new Map<string, number>();
  for (const { webhook_id, state, n, attempts } of ended) {
    // Of those that were taken in the end the last attempt did not fail.
    const failed = Number(attempts) - (state === 'DELIVERED' ? Number(n) : 0);
    failedAttempts.set(webhook_id, (failedAttempts.get(webhook_id) ?? 0) + Math.max(0, failed));
  }
  return (id) => ({
    delivered: counts.get(`${id} DELIVERED`) ?? 0,
    failed: counts.get(`${id} FAILED`) ?? 0,
    failedAttempts: failedAttempts.get(id) ?? 0,
    lastAt: times.get(id)?.last_at ?? null,
    lastSuccessAt: times.get(id)?.taken_at ?? null,
  });
}

/** The delivery, or null: unknown, of another tenant, or of a webhook of the other service. */
export async function findDelivery(
  ctx: Ctx,
  service: WebhookServiceName,
  id: string,
): Promise<(DeliveryWithBody & { webhookName: string }) | null> {
  const row: object | undefined = await owned(ctx, service, id).first(`${TABLE}.*`, NAME);
  return row ? { ...deliveryRecord.read(row), webhookName: nameIn(row) } : null;
}

/** As findDelivery, locked until the end of the transaction. */
export async function lockDelivery(
  ctx: Ctx,
  service: WebhookServiceName,
  id: string,
): Promise<DeliveryWithBody | null> {
  const row: object | undefined = await owned(ctx, service, id).forUpdate(TABLE).first(`${TABLE}.*`);
  return row ? deliveryRecord.read(row) : null;
}

function owned(ctx: Ctx, service: WebhookServiceName, id: string): Knex.QueryBuilder {
  const deliveries = ctx.db
    .knex(TABLE)
    .join('webhooks', 'webhooks.id', `${TABLE}.webhook_id`)
    .where({ [`${TABLE}.id`]: id, [`${TABLE}.tenant_id`]: ctx.tenantId, 'webhooks.service': service });
  return visibleByList(ctx, deliveries, 'webhooks.product_ids');
}

/** Attempts of deliveries, by delivery, in the order in which they were made. */
export async function attemptsOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Attempt[]>> {
  const rows = await ctx.db
    .knex('webhook_attempts')
    .whereIn('delivery_id', [...ids])
    .orderBy(['delivery_id', 'run', 'n']);
  const attempts = new Map<string, Attempt[]>(ids.map((id) => [id, []]));
  for (const row of rows) attempts.get(row.delivery_id)?.push(attemptRecord.read(row));
  return attempts;
}

/** What a range of deliveries holds: those that may be sent again, and those still on their way. */
export async function countRange(
  ctx: Ctx,
  webhookId: string,
  filter: DeliveryFilter,
): Promise<{ ended: number; pending: number }> {
  const { states: _states, ...range } = filter;
  const [ended] = await replayable(ctx, webhookId, filter).count({ n: '*' });
  const [pending] = await inRange(ctx, webhookId, { ...range, states: ['PENDING'] }).count({ n: '*' });
  return { ended: Number(ended?.n ?? 0), pending: Number(pending?.n ?? 0) };
}

/** The next ended deliveries of a range after a place, in the order of their events, locked. */
export async function lockRange(
  ctx: Ctx,
  webhookId: string,
  filter: DeliveryFilter,
  after: { at: string; id: string },
  limit: number,
): Promise<Delivery[]> {
  const rows: object[] = await replayable(ctx, webhookId, filter)
    .where('created_at', '>=', after.at)
    .where((later) => later.where('created_at', '>', after.at).orWhere('id', '>', after.id))
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .forUpdate();
  return rows.map(deliveryRecord.read);
}

/** A test is no event; whoever wants it again sends another one. */
const replayable = (ctx: Ctx, webhookId: string, filter: DeliveryFilter): Knex.QueryBuilder =>
  inRange(ctx, webhookId, filter).whereNot({ state: 'PENDING' }).where({ is_test: false });

function inRange(ctx: Ctx, webhookId: string, filter: DeliveryFilter): Knex.QueryBuilder {
  const { events, states, from, to } = filter;
  const query = ctx.db.knex(TABLE).where({ webhook_id: webhookId, tenant_id: ctx.tenantId });
  if (events?.length) query.whereIn('event', [...events]);
  if (states?.length) query.whereIn('state', [...states]);
  if (from !== undefined) query.where('created_at', '>=', from);
  if (to !== undefined) query.where('created_at', '<', to);
  return query;
}

/** Writes a test as it ended. */
export async function insertTest(ctx: Ctx, delivery: DeliveryWithBody): Promise<void> {
  await ctx.db.knex(TABLE).insert(deliveryRecord.write(delivery, { tenantId: ctx.tenantId }));
}
