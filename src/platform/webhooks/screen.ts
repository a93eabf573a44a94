import type { z } from 'zod';
import { type Screen, screen } from '../admin/index.ts';
import { DeliveryDetails } from './view.ts';

/** Webhooks of a service in the panel (admin.md 5.6). @param view how they are shown there */
export const webhookScreen = (view: z.ZodObject): Screen =>
  screen(view, {
    path: '/admin/webhooks',
    area: 'licensing',
    order: 110,
    title: ({ name, url }) => String(name ?? url),
    columns: {
      url: { kind: 'text' },
      name: { hidden: true },
      events: { value: ({ events }) => (Array.isArray(events) && events.length === 0 ? ['all'] : events) },
      enabled: {},
      consecutiveFailures: { label: 'Failures in a row' },
      createdAt: { label: 'Created', sort: 'created', hidden: true },
    },
    tabs: { deliveries: { label: 'Deliveries', of: 'deliveries', named: ({ id }) => ({ id: String(id) }) } },
    fields: {
      url: { example: 'https://example.com/hooks/appctl' },
      events: { help: 'Names of events, one a line. Empty for all.' },
      productIds: {
        label: 'Products',
        help: 'None of them means all.',
        of: 'products',
      },
      headers: { help: 'Sent with every request, such as {"X-Team": "billing"}.' },
      secret: { label: 'Own signing secret', help: 'Leave it empty to get one.' },
    },
    empty: {
      text: 'A webhook is told of events by a signed request to an address of yours.',
      docs: 'send-webhooks',
      cli: 'appctl webhook create URL',
    },
    goKey: 'w',
  });

/** What was sent, below each webhook and alone. */
export const deliveryScreen = screen(DeliveryDetails, {
  path: '/admin/webhooks/{id}/deliveries',
  itemsAt: '/admin/deliveries',
  area: 'licensing',
  live: 'ask',
  title: ({ event }) => event,
  columns: {
    createdAt: { label: 'Time', kind: 'date', sort: 'created' },
    event: {},
    state: {},
    attempts: { kind: 'number', value: ({ attempts }) => attempts.length },
    http: { label: 'HTTP', kind: 'number', value: ({ attempts }) => attempts.at(-1)?.httpStatus },
    ms: { label: 'Took (ms)', kind: 'number', value: ({ attempts }) => attempts.at(-1)?.ms },
    subject: { kind: 'code' },
  },
  empty: {
    text: 'Nothing was sent yet. Press Test to send something now.',
    docs: 'send-webhooks',
    cli: null,
  },
});
