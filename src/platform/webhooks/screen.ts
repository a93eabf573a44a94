import type { z } from 'zod';
import { localSecond } from '#kernel/local-time.ts';
import { command, fromStdin, type Screen, screen, unless, yesOrNo } from '../admin/index.ts';
import type { WebhookEvent } from './service.ts';
import { SIGNATURE_CHECK } from './signature-check.ts';
import { DeliveryDetails } from './view.ts';

const commands = {
  create: command('webhook create --service license', {
    flags: {
      events: 'event',
      productIds: 'product',
      headers: (value) => (Object.keys(value as object).length === 0 ? [] : null),
      enabled: unless('disabled'),
      secret: fromStdin('secret'),
    },
  }),
  change: command('webhook update', {
    flags: {
      events: 'event',
      productIds: 'product',
      redactEmail: yesOrNo('redact-email'),
      // Another command switches it.
      enabled: null,
      // Their values may be secrets: the command takes them from a file.
      headers: null,
    },
    clears: { events: 'event', productIds: 'product', headers: 'headers' },
  }),
  enable: command('webhook enable'),
  disable: command('webhook disable'),
  remove: command('webhook delete', { confirm: 'yes' }),
};

const columns = {
  url: { kind: 'text' },
  name: { hidden: true },
  events: {
    value: ({ events }) => (Array.isArray(events) && events.length === 0 ? ['all'] : events),
  },
  enabled: {},
  consecutiveFailures: { label: 'Failures in a row' },
  failedAttempts: {
    label: 'Failed attempts in 24 hours',
    kind: 'number',
    value: ({ last24Hours }) => (last24Hours as { failedAttempts: number }).failedAttempts,
  },
  lastSuccessAt: { label: 'Last success' },
  createdAt: { label: 'Created', sort: 'created', hidden: true },
} satisfies Screen['columns'];

/** Webhooks of a service in the panel (admin.md 5.6). @param view how they are shown there; `events` the catalog */
export const webhookScreen = (view: z.ZodObject, events: readonly WebhookEvent[]): Screen =>
  screen(view, {
    path: '/admin/webhooks',
    words: 'callback endpoint',
    area: 'licensing',
    order: 110,
    title: ({ name, url }) => String(name ?? url),
    columns,
    tabs: {
      deliveries: {
        label: 'Deliveries',
        of: 'deliveries',
        filters: ({ id }) => ({ webhookId: String(id) }),
      },
    },
    fields: {
      url: { example: 'https://example.com/hooks/appctl' },
      events: {
        help: 'None selected: all events that webhooks get by default.',
        options: [
          { value: '*', label: 'Every event' },
          ...events.map(({ name }) => ({ value: name, label: name })),
        ],
      },
      productIds: {
        label: 'Products',
        help: 'None of them means all.',
        of: 'products',
      },
      redactEmail: { label: 'Leave out email addresses', help: 'They are sent by default.' },
      enabled: { help: 'By default sending starts immediately.' },
      headers: { help: 'Sent with every request, such as {"X-Team": "billing"}.' },
      secret: { label: 'Own signing secret', help: 'Leave empty to have one generated.' },
    },
    undo: { enable: 'disable', disable: 'enable' },
    duplicate: { without: ['name', 'secret', 'enabled'] },
    commands,
    empty: {
      text: 'A webhook sends events to your server as signed requests.',
      docs: 'send-webhooks',
      cli: 'appctl webhook create URL',
    },
    goKey: 'w',
  });

/** What was sent to all webhooks. */
export const deliveryScreen = screen(DeliveryDetails, {
  path: '/admin/deliveries',
  area: 'licensing',
  order: 115,
  live: 'ask',
  title: ({ event }) => event,
  facts: {
    event: {},
    state: {},
    subject: { kind: 'code' },
    webhookId: {
      label: 'Webhook',
      link: ({ webhookId }) => `/admin/webhooks/${encodeURIComponent(webhookId)}`,
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
        attempts: attempts.map((one) => ({ ...one, at: localSecond(new Date(one.at)) })),
        next: nextAttemptAt === null ? null : localSecond(new Date(nextAttemptAt)),
      }),
    },
    request: {
      label: 'Request and signature',
      template: 'platform/delivery-request',
      load: async (_ctx, { requestBody, requestHeaders }) => ({
        body: requestBody,
        headers: requestHeaders,
        check: SIGNATURE_CHECK,
      }),
    },
  },
  columns: {
    createdAt: { label: 'Time', kind: 'date', sort: 'created' },
    event: {},
    state: {},
    attempts: { kind: 'number', value: ({ attempts }) => attempts.length },
    http: { label: 'HTTP', kind: 'number', value: ({ attempts }) => attempts.at(-1)?.httpStatus },
    ms: { label: 'Took (ms)', kind: 'number', value: ({ attempts }) => attempts.at(-1)?.ms },
    subject: { kind: 'code' },
    error: { label: 'Error', value: ({ attempts }) => attempts.at(-1)?.error ?? null },
    webhookName: { label: 'Webhook' },
  },
  labels: { http: 'Last answer', test: 'Tests' },
  views: [
    { name: 'Failed', query: 'state=FAILED' },
    { name: 'Waiting', query: 'state=PENDING' },
  ],
  commands: { redeliver: command('webhook replay', { isForMany: true }) },
  empty: {
    text: 'Nothing has been sent yet. Choose Test to send an event now.',
    docs: 'send-webhooks',
    cli: null,
  },
});
