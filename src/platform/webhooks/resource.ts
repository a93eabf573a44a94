import { z } from 'zod';
import { instant, integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import {
  action,
  adminResource,
  answering,
  beside,
  type Resource,
  type Showing,
  type Twin,
} from '../admin/index.ts';
import type { Permission } from '../permissions/index.ts';
import { getDelivery } from './registry/deliveries.ts';
import { deliveryRows, webhookRows } from './registry/queries.ts';
import { remove } from './registry/remove.ts';
import { replayOne, replayRange } from './registry/replay.ts';
import { rotateSecret } from './registry/rotate.ts';
import { WebhookCreateBody, WebhookUpdateBody } from './registry/schemas.ts';
import { disable, enable } from './registry/switch.ts';
import { printTest, sendTest } from './registry/test.ts';
import { update } from './registry/update.ts';
import { create, get } from './registry/webhooks.ts';
import { deliveryScreen, webhookScreen } from './screen.ts';
import type { WebhookService } from './service.ts';
import {
  DeliveryDetails,
  DeliveryLine,
  deliveryDetails,
  deliveryLine,
  deliveryView,
  ListedDelivery,
  OneDelivery,
  Replayed,
  TestRequest,
  TestSent,
} from './view.ts';
import type { DeliveryRecord, Webhook } from './webhook.ts';

/** What differs between the webhooks of the two services for those who administer them. */
export interface WebhookDesk {
  readonly service: WebhookService;
  readonly needs: Readonly<Record<'read' | 'write' | 'secrets', Permission>>;
  /** Where webhooks stand, and how they are shown there. */
  readonly twin: Pick<Twin<Webhook>, 'surface' | 'path' | 'view'> & Showing<Webhook, Record<string, unknown>>;
}

const eventName = () => text({ min: 1, max: 100 });

/** An own secret, for a receiver that has one already; what is wrong with it is judged by the use case. */
const ownSecret = () =>
  optional(z.string({ error: 'must be a string' }).meta({ minLength: 16, maxLength: 255 }));
const CreateBody = later(() => WebhookCreateBody.extend({ secret: ownSecret() }));

/** What a test sends: an event of the catalog, with values in place of those of its example. */
const TestBody = later(() =>
  z.strictObject({
    event: optional(eventName()),
    overrides: optional(
      z.array(z.strictObject({ path: text({ min: 1, max: 200 }), value: z.unknown() })).max(50),
    ),
  }),
);

const ReplayBody = later(() =>
  z.strictObject({
    from: timestamp(),
    to: optional(timestamp()),
    limit: optional(integer(1, 100_000)),
    events: optional(z.array(eventName(), { error: 'must be a list of event names' }).min(1).max(100)),
    states: optional(
      z
        .array(oneOf(['DELIVERED', 'FAILED', 'SKIPPED']))
        .min(1)
        .max(3),
    ),
  }),
);

/** Receivers of a service's events, for staff. */
export const webhookResource = (desk: WebhookDesk): Resource =>
  adminResource<Webhook, typeof CreateBody, typeof WebhookUpdateBody>({
    name: 'webhooks',
    labels: { one: 'webhook', many: 'webhooks' },
    about: 'Receivers of events',
    needs: { read: desk.needs.read, create: desk.needs.secrets, write: desk.needs.write },
    screen: webhookScreen(desk.twin.view, desk.service.events),
    rows: webhookRows(desk.service.name),
    get: (ctx, id) => get(ctx, desk.service, id),
    create: {
      schema: CreateBody,
      summary: 'Create a webhook; its signing secret is shown once',
      beside: { warning: z.string().nullable(), signingSecret: z.string() },
      sudo: true,
      errors: [],
      run: async (ctx, { secret, ...input }, { note }) => {
        const { webhook, ...fields } = await create(ctx, desk.service, input, { note, secret });
        return beside(webhook, fields);
      },
    },
    edit: {
      schema: WebhookUpdateBody,
      beside: { warning: z.string().nullable() },
      errors: [],
      run: async (ctx, id, changes, how) => {
        const { webhook, warning } = await update(ctx, desk.service, id, changes, how);
        return beside(webhook, { warning });
      },
    },
    remove: {
      level: 'severe',
      summary: 'Delete a webhook and its delivery log',
      errors: [],
      isBulk: true,
      run: (ctx, id, how) => remove(ctx, desk.service, id, how),
    },
    actions: { ...switching(desk), ...sending(desk) },
    apis: [{ ...desk.twin, item: 'webhook', summaries: { list: 'List the webhooks, oldest first' } }],
  });

/** Switching on forgets the failures and resends nothing; switching off skips what waits (D119). */
const switching = ({ service, needs }: WebhookDesk) => {
  const common = {
    where: 'both',
    level: 'mild',
    conditional: true,
    errors: ['PRECONDITION_FAILED'],
  } as const;
  return {
    enable: action<Webhook>({
      ...common,
      label: 'Enable',
      summary: 'Enable a webhook: events are sent to it again',
      needs: needs.write,
      when: ({ enabled }) => !enabled,
      run: (ctx, id, _input, how) => enable(ctx, service, id, how),
    }),
    disable: action<Webhook>({
      ...common,
      label: 'Disable',
      summary: 'Disable a webhook: nothing is sent to it',
      needs: needs.write,
      when: ({ enabled }) => enabled,
      run: (ctx, id, _input, how) => disable(ctx, service, id, how),
    }),
    'rotate-secret': action({
      label: 'Rotate the secret of',
      summary: "Replace a webhook's signing secret; the old one also signs for 24 hours",
      needs: needs.secrets,
      level: 'moderate',
      where: 'row',
      conditional: true,
      sudo: true,
      input: z.strictObject({ secret: ownSecret() }),
      beside: { signingSecret: z.string(), previousUntil: instant() },
      answer: 'WebhookSecretRotated',
      run: async (ctx, id, { secret }, how) => {
        const { webhook, ...fields } = await rotateSecret(ctx, service, id, { ...how, secret });
        return beside<Webhook>(webhook, fields);
      },
    }),
  };
};

const sending = ({ service, needs }: WebhookDesk) => ({
  test: answering<Webhook, typeof TestSent, typeof TestBody>({
    label: 'Test',
    summary: "Send a test now and show the receiver's answer",
    needs: needs.write,
    level: 'mild',
    where: 'row',
    input: TestBody,
    output: TestSent,
    errors: [],
    rehearsable: false,
    run: async (ctx, id, input, { note }) => {
      const {
        lastStatus,
        lastMs,
        lastError,
        log,
        id: deliveryId,
      } = await sendTest(ctx, service, id, {
        ...input,
        note,
      });
      const body = log[0]?.responseExcerpt ?? null;
      return { status: lastStatus, ms: lastMs ?? 0, body, error: lastError, deliveryId };
    },
  }),
  'test-request': answering<Webhook, typeof TestRequest, typeof TestBody>({
    label: 'Show a test of',
    summary: 'Show the signed request of a test, without sending it',
    needs: needs.write,
    level: 'mild',
    where: 'row',
    input: TestBody,
    output: TestRequest,
    errors: [],
    run: (ctx, id, input, { note }) => printTest(ctx, service, id, { ...input, note }),
  }),
  replay: answering<Webhook, typeof Replayed, typeof ReplayBody>({
    label: 'Replay',
    summary: 'Resend the finished deliveries of a time range, in the order of their events',
    needs: needs.write,
    level: 'moderate',
    where: 'row',
    input: ReplayBody,
    output: Replayed,
    errors: [],
    run: (ctx, webhookId, range, { note }) => replayRange(ctx, service, { webhookId, ...range }, { note }),
  }),
});

/** What deliveries are, wherever they are listed. */
const deliverySpec = ({ service, needs }: WebhookDesk) => ({
  labels: { one: 'delivery', many: 'deliveries' },
  about: 'Events sent to receivers',
  needs,
  rows: deliveryRows(service.name),
});

/** Sends one again, or many of them. @param where `bulk` for a list whose items stand elsewhere */
const redelivery = ({ service, needs }: WebhookDesk, where: 'both' | 'bulk') =>
  answering<DeliveryRecord, typeof OneDelivery>({
    label: 'Send again',
    summary: 'Resend a delivery: same body, signed with the current secret',
    needs: needs.write,
    level: 'mild',
    where,
    output: OneDelivery,
    errors: ['CONFLICT'],
    when: ({ state, isTest }) => state !== 'PENDING' && !isTest,
    run: async (ctx, id, _input, how) => ({
      delivery: deliveryView(await replayOne(ctx, service, id, how)),
    }),
  });

const listedDeliveries = {
  item: 'delivery',
  view: DeliveryLine,
  toView: deliveryLine,
  details: { view: DeliveryDetails, toView: deliveryDetails, listed: ListedDelivery },
} as const;

/** What was sent to all of them, and each delivery alone. */
export const deliveryResource = (desk: WebhookDesk): Resource =>
  adminResource<DeliveryRecord>({
    ...deliverySpec(desk),
    name: 'deliveries',
    screen: deliveryScreen,
    get: (ctx, id) => getDelivery(ctx, desk.service, id),
    actions: { redeliver: redelivery(desk, 'both') },
    apis: [
      {
        ...listedDeliveries,
        surface: desk.twin.surface,
        path: '/deliveries',
        summaries: {
          list: 'List what was sent to all webhooks, newest first',
          get: 'Show one delivery with its body and every attempt',
        },
      },
    ],
  });

/** What was sent to one of them. */
export const webhookDeliveryResource = (desk: WebhookDesk): Resource =>
  adminResource<DeliveryRecord>({
    ...deliverySpec(desk),
    name: 'webhook-deliveries',
    actions: { redeliver: redelivery(desk, 'bulk') },
    apis: [
      {
        ...listedDeliveries,
        type: 'WebhookDelivery',
        surface: desk.twin.surface,
        path: `${desk.twin.path}/{id}/deliveries`,
        parent: {
          name: 'id',
          filter: 'webhookId',
          find: async (ctx, id) => (await get(ctx, desk.service, id)).id,
        },
        without: ['get'],
        summaries: { list: 'List what was sent to a webhook, newest first' },
      },
    ],
  });
