import type { z } from 'zod';
import type { DeliveryDetails, WebhookView } from '#licensing/insight/webhooks/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** A webhook and a delivery as the desk answers them (cli.md section 2). */
export type Webhook = z.output<typeof WebhookView>;
export type Delivery = z.output<typeof DeliveryDetails>;

/** Opens the desk of a command about webhooks. Throws as withDesk does. */
export const withWebhooks = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(
    cli,
    async () => {
      const [registry, deliveries] = await Promise.all([
        import('#licensing/insight/webhooks/admin-endpoints.ts'),
        import('#licensing/insight/webhooks/admin-deliveries.ts'),
      ]);
      return [...registry.webhookAdminEndpoints, ...deliveries.deliveryAdminEndpoints];
    },
    work,
  );

/** Reads a webhook. */
export const webhookOf = async (desk: Desk, id: string): Promise<Webhook> =>
  (await desk.get<{ webhook: Webhook }>(at`webhooks/${id}`)).webhook;

/** Reads a delivery with its body and every attempt. */
export const deliveryOf = async (desk: Desk, id: string): Promise<Delivery> =>
  (await desk.get<{ delivery: Delivery }>(at`deliveries/${id}`)).delivery;
