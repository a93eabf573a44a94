import type { z } from 'zod';
import type { WebhookView } from '#licensing/insight/webhooks/view.ts';
import type { DeliveryDetails } from '#platform/webhooks/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A webhook and a delivery as the desk answers them (cli.md section 2). */
export type Webhook = z.output<typeof WebhookView>;
export type Delivery = z.output<typeof DeliveryDetails>;

/** What a change answers: a webhook with what is told this once. */
export interface WebhookChanged {
  readonly webhook: Webhook;
  /** The name in the URL leads nowhere at this moment. */
  readonly warning: string | null;
}
export interface WebhookMade extends WebhookChanged {
  readonly signingSecret: string;
}
export interface SecretRotated {
  readonly webhook: Webhook;
  readonly signingSecret: string;
  readonly previousUntil: string;
}

/** Operations on webhooks and deliveries. */
export const webhookTwins = twinsOf(async () => {
  const declared = await import('#licensing/insight/webhooks/resource.ts');
  return [
    declared.licenseWebhookResource,
    declared.licenseDeliveryResource,
    declared.licenseWebhookDeliveryResource,
  ];
});

/** Opens the desk of a command about webhooks. Throws as withDesk does. */
export const withWebhooks = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, webhookTwins, work);

/** Reads a webhook. */
export const webhookOf = async (desk: Desk, id: string): Promise<Webhook> =>
  (await desk.get<{ webhook: Webhook }>(at`webhooks/${id}`)).webhook;

/** Reads a delivery with its body and every attempt. */
export const deliveryOf = async (desk: Desk, id: string): Promise<Delivery> =>
  (await desk.get<{ delivery: Delivery }>(at`deliveries/${id}`)).delivery;
