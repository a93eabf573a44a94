import type { z } from 'zod';
import type { WebhookView } from '#licensing/insight/webhooks/view.ts';
import type { WebhookServiceName } from '#platform/webhooks/index.ts';
import type { DeliveryDetails } from '#platform/webhooks/view.ts';

/** A webhook and a delivery as the desk answers them (cli.md section 2). */
export type Webhook = Omit<z.output<typeof WebhookView>, 'service'> & { service: WebhookServiceName };
export type Delivery = z.output<typeof DeliveryDetails>;
