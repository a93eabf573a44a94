import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { action, answering, beside } from '#platform/admin/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { TestRequest } from '#platform/webhooks/view.ts';
import { webhookNeeds } from './needs.ts';
import { Replay, Rotation, Switching, Test } from './schemas.ts';
import { storeWebhooks } from './service.ts';
import { StoreDeliveryView, storeDeliveryView } from './view.ts';

type Webhook = webhooks.Webhook;
type State = 'DELIVERED' | 'FAILED' | 'SKIPPED';

const common = { needs: webhookNeeds.write, or: webhookNeeds.orWrite, where: 'row' } as const;

/** The signing secret beside a webhook. */
export const secretShown = { secret: z.string().describe('Shown only once; it signs every request') };

const Replayed = z
  .object({ queued: count(), pending: count(), left: count() })
  .meta({ id: 'StoreWebhookReplayed' });

/** What can be done with a webhook of the shop (storefront-api.md, AM). */
export const webhookActions = {
  enable: action<Webhook>({
    ...common,
    where: 'both',
    level: 'mild',
    label: 'Enable',
    summary: 'Enable a webhook, so that it gets events again',
    when: ({ enabled }) => !enabled,
    run: (ctx, id, _input, how) => webhooks.enable(ctx, storeWebhooks, id, how),
  }),
  disable: action<Webhook, typeof Switching>({
    ...common,
    where: 'both',
    level: 'mild',
    label: 'Disable',
    summary: 'Disable a webhook; waiting deliveries are skipped',
    input: Switching,
    when: ({ enabled }) => enabled,
    run: (ctx, id, { reason }, how) =>
      webhooks.disable(ctx, storeWebhooks, id, { ...how, note: reason ?? how.note }),
  }),
  'rotate-secret': action<Webhook, typeof Rotation>({
    ...common,
    level: 'moderate',
    label: 'Rotate the secret of',
    summary:
      'Create a new signing secret for a webhook, shown only once; the old one also signs for 24 hours',
    sudo: true,
    input: Rotation,
    beside: secretShown,
    answer: 'StoreWebhookSecretRotated',
    run: async (ctx, id, { secret }, how) => {
      const done = await webhooks.rotateSecret(ctx, storeWebhooks, id, { ...how, secret });
      return beside(done.webhook, { secret: done.signingSecret });
    },
  }),
  test: answering<Webhook, typeof StoreDeliveryView, typeof Test>({
    ...common,
    level: 'mild',
    label: 'Test',
    summary: "Send a test now and show the receiver's answer",
    input: Test,
    output: StoreDeliveryView,
    rehearsable: false,
    run: async (ctx, id, input, { note }) =>
      storeDeliveryView(await webhooks.sendTest(ctx, storeWebhooks, id, { note, ...input })),
  }),
  'test-request': answering<Webhook, typeof TestRequest, typeof Test>({
    ...common,
    level: 'mild',
    label: 'Show a test of',
    summary: 'Show the signed request of a test, without sending it',
    input: Test,
    output: TestRequest,
    run: (ctx, id, input, { note }) => webhooks.printTest(ctx, storeWebhooks, id, { note, ...input }),
  }),
  replay: answering<Webhook, typeof Replayed, typeof Replay>({
    ...common,
    level: 'moderate',
    label: 'Replay',
    summary: 'Resend the finished deliveries of a time range, in the order of their events',
    input: Replay,
    output: Replayed,
    run: (ctx, webhookId, { statuses, ...range }, { note }) => {
      const states = statuses?.map((status) => status.toUpperCase() as State);
      return webhooks.replayRange(ctx, storeWebhooks, { webhookId, ...range, states }, { note });
    },
  }),
};
