import { localSecond } from '#kernel/local-time.ts';
import { command, fromStdin, storeScreen, type Tone, unless } from '#platform/admin/index.ts';
import { SIGNATURE_CHECK } from '#platform/webhooks/index.ts';
import { storeWebhooks } from './service.ts';
import { StoreDeliveryView, StoreWebhookView } from './view.ts';

const commands = {
  create: command('webhook create --service store', {
    flags: {
      events: 'event',
      description: 'name',
      headers: (value) => (Object.keys(value as object).length === 0 ? [] : null),
      active: unless('disabled'),
      secret: fromStdin('secret'),
    },
  }),
  change: command('webhook update', {
    // Another command switches it, and values of headers, which may be secrets, come from a file.
    flags: { events: 'event', description: 'name', active: null, headers: null },
    clears: { headers: 'headers' },
  }),
  enable: command('webhook enable'),
  disable: command('webhook disable'),
  remove: command('webhook delete', { confirm: 'yes' }),
};

/** Webhooks of the shop in the panel. */
export const storeWebhookScreen = storeScreen(StoreWebhookView, {
  path: '/store/settings/webhooks',
  words: 'callback endpoint',
  area: 'store',
  order: 920,
  nav: 'Webhooks',
  title: ({ description }) => description,
  columns: {
    url: { kind: 'text' },
    description: { hidden: true },
    events: {},
    active: {},
    consecutiveFailures: { label: 'Failures in a row', sort: 'failures' },
    failed: {
      label: 'Failed attempts in 24 hours',
      kind: 'number',
      value: ({ lastDay }) => lastDay.failedAttempts,
    },
    lastSuccessAt: { label: 'Last success' },
    lastDeliveryAt: { label: 'Last event' },
    createdAt: { label: 'Created', sort: 'created', hidden: true },
  },
  facts: {
    url: { kind: 'code' },
    events: {},
    active: {},
    disabledReason: { label: 'Why it is disabled' },
    disabledAt: { label: 'Disabled', kind: 'date' },
    delivered: { label: 'Delivered in 24 hours', kind: 'number', value: ({ lastDay }) => lastDay.delivered },
    failed: { label: 'Failed in 24 hours', kind: 'number', value: ({ lastDay }) => lastDay.failed },
    failedAttempts: {
      label: 'Failed attempts in 24 hours',
      kind: 'number',
      value: ({ lastDay }) => lastDay.failedAttempts,
    },
    consecutiveFailures: { label: 'Failures in a row' },
    lastSuccessAt: { label: 'Last success' },
    lastDeliveryAt: { label: 'Last event' },
    previousSecretUntil: { label: 'The old secret signs until', kind: 'date' },
    headers: {},
    createdAt: { label: 'Created', kind: 'date' },
    id: {},
  },
  tabs: {
    deliveries: {
      label: 'Deliveries',
      of: 'store-deliveries',
      filters: ({ id }) => ({ webhookId: id }),
    },
  },
  fields: {
    url: { example: 'https://example.com/hooks/shop' },
    events: {
      options: [
        { value: '*', label: 'Every event' },
        ...storeWebhooks.events.map(({ name, description }) => ({
          value: name,
          label: `${name}: ${description}`,
        })),
      ],
    },
    description: { help: 'Leave empty to use the host of the URL.' },
    active: { help: 'By default sending starts immediately.' },
    headers: { help: 'Sent with every request, such as {"X-Team": "shop"}.' },
    secret: { label: 'Own signing secret', help: 'Leave empty to have one generated.' },
  },
  links: [{ label: 'All deliveries', href: '/store/settings/webhook-deliveries', needs: 'webhooks:read' }],
  undo: { enable: 'disable', disable: 'enable' },
  duplicate: { without: ['description', 'secret', 'active'] },
  commands,
  empty: {
    text: 'A webhook sends shop events to your server as signed requests.',
    docs: 'send-webhooks',
    cli: 'appctl webhook create --service store --url https://example.com/hooks',
  },
});

const TONES: Readonly<Record<string, Tone>> = {
  pending: 'info',
  delivered: 'ok',
  failed: 'bad',
  skipped: 'muted',
};

const status = {
  kind: 'status',
  tone: ({ status }: { status: string }) => TONES[status] ?? 'muted',
} as const;

/** What was sent to all webhooks of the shop. */
export const storeDeliveryScreen = storeScreen(StoreDeliveryView, {
  path: '/store/settings/webhook-deliveries',
  area: 'store',
  nav: null,
  live: 'ask',
  title: ({ event }) => event,
  facts: {
    event: {},
    status,
    subject: { kind: 'code' },
    webhookId: {
      label: 'Webhook',
      link: ({ webhookId }) => `/store/settings/webhooks/${encodeURIComponent(webhookId)}`,
    },
    nextAttemptAt: { label: 'Next attempt', kind: 'date' },
    createdAt: { label: 'Created', kind: 'date' },
    endedAt: { label: 'Ended', kind: 'date' },
    isTest: { label: 'Test' },
    eventId: { label: 'Event ID' },
    id: {},
  },
  tabs: {
    attempts: {
      label: 'Attempts',
      template: 'platform/delivery-attempts',
      load: async (_ctx, { attempts, nextAttemptAt }) => ({
        attempts: attempts.map(({ no, status, responseExcerpt, at, ...one }) => ({
          ...one,
          n: no,
          httpStatus: status,
          responseSnippet: responseExcerpt,
          at: localSecond(new Date(at)),
        })),
        next: nextAttemptAt === null ? null : localSecond(new Date(nextAttemptAt)),
      }),
    },
    request: {
      label: 'Request and signature',
      template: 'platform/delivery-request',
      load: async (_ctx, { body, requestHeaders }) => ({
        body,
        headers: requestHeaders,
        check: SIGNATURE_CHECK,
      }),
    },
  },
  columns: {
    createdAt: { label: 'Time', kind: 'date', sort: 'created' },
    event: {},
    status,
    attempts: { kind: 'number', value: ({ attempts }) => attempts.length },
    http: { label: 'HTTP', kind: 'number', value: ({ attempts }) => attempts.at(-1)?.status },
    ms: { label: 'Took (ms)', kind: 'number', value: ({ attempts }) => attempts.at(-1)?.ms },
    subject: { kind: 'code' },
    error: { label: 'Error', value: ({ attempts }) => attempts.at(-1)?.error ?? null },
    webhookName: { label: 'Webhook' },
  },
  labels: { http: 'Last answer', test: 'Tests' },
  views: [
    { name: 'Failed', query: 'status=failed' },
    { name: 'Waiting', query: 'status=pending' },
  ],
  commands: { redeliver: command('webhook replay', { isForMany: true }) },
  empty: {
    text: 'Nothing has been sent yet. Choose Test to send an event now.',
    docs: 'send-webhooks',
    cli: null,
  },
});
