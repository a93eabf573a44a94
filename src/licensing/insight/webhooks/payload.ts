import type { StoredEvent } from '#kernel/context.ts';
import type { LicensingEventData } from '#licensing/contract/events.ts';
import type { PayloadWishes } from '#platform/webhooks/index.ts';

/**
 * The body of an event, with the fields of the spec in its order and no others (spec, Events: Payload).
 * `timestamp` is the time of the event, equal in every attempt. With `redactEmail` the one address that a payload can
 * hold is null (D124).
 */
export function payload(event: StoredEvent, { redactEmail }: PayloadWishes): Record<string, unknown> {
  const data = event.data as unknown as LicensingEventData;
  const hidesEmail = redactEmail && 'customerEmail' in data.details;
  return {
    event: event.type,
    timestamp: event.at,
    data: {
      licenseId: data.licenseId,
      licenseKeyPrefix: data.licenseKeyPrefix,
      customerId: data.customerId,
      status: data.status,
      product: data.product,
      machineIds: data.machineIds,
      details: hidesEmail ? { ...data.details, customerEmail: null } : data.details,
    },
  };
}
