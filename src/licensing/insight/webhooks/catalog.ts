import {
  type LicensingEventData,
  type LicensingEventName,
  licensingEvents,
} from '#licensing/contract/events.ts';
import type { WebhookEvent } from '#platform/webhooks/index.ts';
import { EXAMPLE_MACHINE_ID, examples } from './examples.ts';

const names = Object.keys(licensingEvents) as LicensingEventName[];

/** Complete `data` of an example payload (spec, Events: Payload). */
export function exampleData<N extends LicensingEventName>(name: N): LicensingEventData<N> {
  const { details, status = 'ACTIVE', machineIds = [EXAMPLE_MACHINE_ID] } = examples[name];
  return {
    licenseId: 'lic_01JNA8ZQ4N6T2V9X3B5C7D0E1F',
    licenseKeyPrefix: 'APP-7F3K',
    customerId: name === 'HONEYPOT_TRIGGERED' ? null : 'cus_01JNA8ZQ4N6T2V9X3B5C7D0E1F',
    status,
    product: { name: 'Demo App', slug: 'demo-app' },
    machineIds: [...machineIds],
    details,
  };
}

/** Events that a webhook can subscribe to by name: the spec's 23, then the additions. */
export const webhookEvents: readonly WebhookEvent[] = names
  .filter((name) => licensingEvents[name] !== 'direct')
  .map((name) => ({
    name,
    description: examples[name].description,
    example: { ...exampleData(name) },
  }));

/**
 * `data` of a test: of WEBHOOK_TEST, whose details name the webhook, or the example of another event.
 *
 * @param event name of an event of the license service
 */
export function testData(
  event: string,
  webhook: { id: string; note: string | null },
): Record<string, unknown> {
  if (event !== 'WEBHOOK_TEST') return { ...exampleData(event as LicensingEventName) };
  return { ...exampleData(event), details: { webhookId: webhook.id, note: webhook.note } };
}
