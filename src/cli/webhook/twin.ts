import { at, type Desk } from '../desk/desk.ts';
import { type Either, withEither, withStoreDesk } from '../desk/either.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';
import type { Delivery, Webhook } from './answers.ts';

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

const either: Either = {
  license: webhookTwins,
  store: async () => (await import('./store-desk.ts')).storeWebhookTwins(),
  asLicense: async (desk) => (await import('./store-desk.ts')).asLicenseDesk(desk),
};

/** Opens the desk of a command about the webhooks of the service that it names. Throws as withDesk does. */
export const withWebhooks = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  cli.option('service') === 'store' ? withStoreDesk(cli, either, work) : withDesk(cli, either.license, work);

/** Opens the desk of the service that has a webhook. Throws as withDesk does. */
export const withWebhook = <T>(cli: Cli, id: string, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withEither(cli, either, at`webhooks/${id}`, work);

/** Opens the desk of the service that has a delivery. Throws as withDesk does. */
export const withDelivery = <T>(cli: Cli, id: string, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withEither(cli, either, at`deliveries/${id}`, work);

/** Reads a webhook. */
export const webhookOf = async (desk: Desk, id: string): Promise<Webhook> =>
  (await desk.get<{ webhook: Webhook }>(at`webhooks/${id}`)).webhook;

/** Reads a delivery with its body and every attempt. */
export const deliveryOf = async (desk: Desk, id: string): Promise<Delivery> =>
  (await desk.get<{ delivery: Delivery }>(at`deliveries/${id}`)).delivery;
