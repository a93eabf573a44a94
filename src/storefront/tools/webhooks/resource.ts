import { z } from 'zod';
import { sentFields } from '#kernel/service/input.ts';
import { action, adminResource, beside, type Resource } from '#platform/admin/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { secretShown, webhookActions } from './actions.ts';
import { webhookNeeds } from './needs.ts';
import { Create, Update } from './schemas.ts';
import { storeDeliveryScreen, storeWebhookScreen } from './screen.ts';
import { storeWebhooks } from './service.ts';
import { StoreDeliveryView, StoreWebhookView, storeDeliveryView, storeWebhookViews } from './view.ts';

type Webhook = webhooks.Webhook;

const warning = z.string().nullable().describe("Problem with the URL's target, if any");

/** Fields by the names of the engine; what was not sent stays out. */
const declared = ({ description, active, ...fields }: z.output<typeof Update>) =>
  sentFields({ ...fields, name: description, enabled: active });

/** Receivers of the shop's events, for staff (storefront-api.md, AM). */
export const storeWebhookResource = adminResource<Webhook, typeof Create, typeof Update>({
  name: 'store-webhooks',
  labels: { one: 'webhook of the shop', many: 'webhooks of the shop' },
  about: 'Receivers of shop events',
  needs: webhookNeeds,
  screen: storeWebhookScreen,
  rows: webhooks.webhookRows('store'),
  get: (ctx, id) => webhooks.get(ctx, storeWebhooks, id),
  create: {
    schema: Create,
    summary: 'Create a webhook; its signing secret is shown once',
    beside: { warning, ...secretShown },
    sudo: true,
    run: async (ctx, { secret, url, headers, ...input }, { note }) => {
      const wanted = { ...declared(input), url, headers };
      const made = await webhooks.create(ctx, storeWebhooks, wanted, { note, secret });
      return beside(made.webhook, { warning: made.warning, secret: made.signingSecret });
    },
  },
  edit: {
    schema: Update,
    hasVersion: false,
    summary: 'Change a webhook; enabling it clears its failures and resends nothing',
    beside: { warning },
    run: async (ctx, id, input, how) => {
      const done = await webhooks.update(ctx, storeWebhooks, id, declared(input), how);
      return beside(done.webhook, { warning: done.warning });
    },
  },
  remove: {
    level: 'severe',
    summary: 'Delete a webhook and its delivery log',
    isBulk: true,
    run: (ctx, id, how) => webhooks.remove(ctx, storeWebhooks, id, how),
  },
  actions: webhookActions,
  apis: [
    {
      surface: 'store',
      path: '/webhooks',
      item: 'webhook',
      type: 'StoreWebhook',
      view: StoreWebhookView,
      toViews: storeWebhookViews,
      without: ['export'],
      summaries: { list: 'List the webhooks, oldest first' },
    },
  ],
});

type Delivery = webhooks.DeliveryRecord;

const deliveries = {
  labels: { one: 'delivery', many: 'deliveries' },
  about: 'Shop events sent to receivers',
  needs: webhookNeeds,
  rows: webhooks.deliveryRows('store'),
} as const;

/** Sends one again, or many. @param where `bulk` for a list whose items stand elsewhere */
const redeliver = (where: 'both' | 'bulk') =>
  action<Delivery>({
    label: 'Send again',
    summary: 'Resend a delivery: same body and ID, signed with the current secret',
    needs: webhookNeeds.write,
    or: webhookNeeds.orWrite,
    level: 'mild',
    where,
    errors: ['CONFLICT'],
    when: ({ state, isTest }) => state !== 'PENDING' && !isTest,
    run: async (ctx, id, _input, how) => {
      await webhooks.replayOne(ctx, storeWebhooks, id, how);
      return webhooks.getDelivery(ctx, storeWebhooks, id);
    },
  });

const shown = {
  surface: 'store',
  item: 'delivery',
  view: StoreDeliveryView,
  toView: storeDeliveryView,
} as const;

/** What was sent to all webhooks of the shop, and each delivery alone. */
export const storeDeliveryResource: Resource = adminResource<Delivery>({
  ...deliveries,
  name: 'store-deliveries',
  screen: storeDeliveryScreen,
  get: (ctx, id) => webhooks.getDelivery(ctx, storeWebhooks, id),
  actions: { redeliver: redeliver('both') },
  apis: [
    {
      ...shown,
      path: '/webhook-deliveries',
      type: 'StoreWebhookDelivery',
      without: ['export'],
      summaries: {
        list: 'List what was sent to all webhooks, newest first',
        get: 'Show one delivery with its body and every attempt',
      },
    },
  ],
});

/** What was sent to one of them. */
export const storeWebhookDeliveryResource: Resource = adminResource<Delivery>({
  ...deliveries,
  name: 'store-webhook-deliveries',
  actions: { redeliver: redeliver('bulk') },
  apis: [
    {
      ...shown,
      path: '/webhooks/{id}/deliveries',
      type: 'StoreDeliveryOfWebhook',
      parent: {
        name: 'id',
        filter: 'webhookId',
        find: async (ctx, id) => (await webhooks.get(ctx, storeWebhooks, id)).id,
      },
      without: ['get', 'export'],
      summaries: { list: 'List what was sent to a webhook, newest first' },
    },
  ],
});
