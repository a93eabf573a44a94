import type { z } from 'zod';
import type { StoreDeliveryView, StoreWebhookView } from '#storefront/tools/webhooks/view.ts';
import type { ChangeOptions, Desk, Query } from '../desk/desk.ts';
import { usageError } from '../frame/errors.ts';
import { pageAt } from '../store/twin.ts';
import type { Delivery, Webhook } from './answers.ts';

type StoreWebhook = z.output<typeof StoreWebhookView>;
type StoreDelivery = z.output<typeof StoreDeliveryView>;
interface Told<T> {
  readonly data: T;
}
type Fields = Readonly<Record<string, unknown>>;

/** Operations of the shop that commands about webhooks call. */
export const storeWebhookTwins = async () => {
  const { storeDeliveryResource, storeWebhookDeliveryResource, storeWebhookResource } = await import(
    '#storefront/tools/webhooks/resource.ts'
  );
  return [storeWebhookResource, storeDeliveryResource, storeWebhookDeliveryResource].flatMap((one) =>
    one.endpoints('store'),
  );
};

const webhookOf = (webhook: StoreWebhook): Webhook => ({
  id: webhook.id,
  name: webhook.description,
  service: 'store',
  url: webhook.url,
  events: webhook.events,
  productIds: null,
  redactEmail: false,
  headers: webhook.headers,
  enabled: webhook.active,
  disabledAt: webhook.disabled_at,
  disabledReason: webhook.disabled_reason,
  consecutiveFailures: webhook.consecutive_failures,
  last24Hours: {
    delivered: webhook.last_day.delivered,
    failed: webhook.last_day.failed,
    failedAttempts: webhook.last_day.failed_attempts,
  },
  lastDeliveryAt: webhook.last_delivery_at,
  lastSuccessAt: webhook.last_success_at,
  previousSecretUntil: webhook.previous_secret_until,
  createdAt: webhook.created_at,
  updatedAt: webhook.updated_at,
});

const deliveryOf = (delivery: StoreDelivery): Delivery => ({
  id: delivery.id,
  webhookId: delivery.webhook_id,
  webhookName: delivery.webhook_name,
  eventId: delivery.event_id,
  event: delivery.event,
  subject: delivery.subject,
  state: delivery.status.toUpperCase() as Delivery['state'],
  isTest: delivery.is_test,
  run: delivery.run,
  nextAttemptAt: delivery.next_attempt_at,
  createdAt: delivery.created_at,
  endedAt: delivery.ended_at,
  requestBody: delivery.body,
  requestHeaders: delivery.request_headers,
  attempts: delivery.attempts.map(({ no, status, response_excerpt, response_headers, ...one }) => ({
    ...one,
    n: no,
    httpStatus: status,
    responseSnippet: response_excerpt,
    responseHeaders: response_headers,
  })),
});

/** @throws usage error (2) for what only webhooks of the license service have */
function sent({ name, enabled, productIds, redactEmail, ...fields }: Fields): Fields {
  const foreign = productIds ? 'product' : redactEmail ? 'redact-email' : undefined;
  if (foreign !== undefined)
    throw usageError(
      `--${foreign}: only webhooks of the license service have that; leave it out for the shop`,
    );
  return {
    ...fields,
    ...(name !== undefined && { description: name }),
    ...(enabled !== undefined && { active: enabled }),
  };
}

const lower = (states: unknown): string[] | undefined =>
  Array.isArray(states) ? states.map((state) => String(state).toLowerCase()) : undefined;

const secretOf = (options: ChangeOptions = {}): ChangeOptions =>
  options.secret ? { ...options, secret: { ...options.secret, name: 'secret' } } : options;

/** The desk of the shop as commands about webhooks know the one of the license service (Z20). */
export const asLicenseDesk = (desk: Desk): Desk => ({
  ...desk,
  get: async <T>(path: string, query: Query = {}) => (await read(desk, path, query)) as T,
  post: async <T>(path: string, body: object = {}, options?: ChangeOptions) =>
    (await posted(desk, path, body as Fields, options)) as T,
  patch: async <T>(path: string, body: object, options?: ChangeOptions) => {
    const { data } = await desk.patch<Told<StoreWebhook & { warning: string | null }>>(
      path,
      sent(body as Fields),
      options,
    );
    return { webhook: webhookOf(data), warning: data.warning } as T;
  },
});

async function read(desk: Desk, path: string, query: Query): Promise<unknown> {
  const { page, limit, enabled, state, details: _, ...rest } = query;
  const paging = { page: Number(page ?? 1), limit: Number(limit ?? 20) };
  if (path === 'webhooks') {
    const { items, pagination } = await pageAt<StoreWebhook>(desk, path, { ...paging, active: enabled });
    return { items: items.map(webhookOf), pagination };
  }
  if (path.endsWith('/deliveries')) {
    const asked = { ...rest, ...paging, status: lower(state) };
    const { items, pagination } = await pageAt<StoreDelivery>(desk, path, asked);
    return { items: items.map(deliveryOf), pagination };
  }
  if (path.startsWith('deliveries/'))
    return { delivery: deliveryOf((await desk.get<Told<StoreDelivery>>(`webhook-${path}`)).data) };
  return { webhook: webhookOf((await desk.get<Told<StoreWebhook>>(path)).data) };
}

type Made = StoreWebhook & { secret: string; warning: string | null };

async function posted(desk: Desk, path: string, body: Fields, options?: ChangeOptions): Promise<unknown> {
  if (path.startsWith('deliveries/')) {
    const { data } = await desk.post<Told<StoreDelivery>>(`webhook-${path}`, {}, options);
    return { delivery: deliveryOf(data) };
  }
  const [, , act] = path.split('/');
  if (act === 'test') return tested((await desk.post<Told<StoreDelivery>>(path, body, options)).data);
  if (act === 'test-request') return (await desk.post<Told<object>>(path, body, options)).data;
  if (act === 'replay') {
    const { states, ...range } = body;
    const asked = { ...range, ...(states !== undefined && { statuses: lower(states) }) };
    return (await desk.post<Told<object>>(path, asked, options)).data;
  }
  const fields = act === 'disable' ? { reason: body.note } : sent(body);
  const { data } = await desk.post<Told<Made>>(path, fields, secretOf(options));
  return {
    webhook: webhookOf(data),
    warning: data.warning,
    signingSecret: data.secret,
    previousUntil: data.previous_secret_until,
  };
}

function tested({ id, attempts }: StoreDelivery) {
  const last = attempts.at(-1);
  return {
    status: last?.status ?? null,
    ms: last?.ms ?? 0,
    body: last?.response_excerpt ?? null,
    error: last?.error ?? null,
    deliveryId: id,
  };
}
