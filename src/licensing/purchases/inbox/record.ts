import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';
import { inboxDays } from '#licensing/contract/settings.ts';
import { tenantColumn } from '#platform/tenants/index.ts';
import { EVENT_STATUSES } from './outcome.ts';

const configColumn = () => column.id(ids.integration).references('license_inbound_configs').aside();

/** Events of payment processors, as staff sees them; a purchase is stored before anything is done about it (D103). */
export const inboundEventRecord = record(
  'license_inbound_events',
  {
    id: column.id(ids.inboundEvent),
    tenantId: tenantColumn().aside(),
    configId: column.id(ids.integration).references('license_inbound_configs'),
    processorEventId: column.text(255, 1),
    eventName: column.text(255),
    /** By these a refund finds its purchase, whichever came first. */
    paymentId: column.text(255).nullable().aside(),
    orderId: column.text(255).nullable().aside(),
    status: column.choice(EVENT_STATUSES),
    /** Why it failed, was ignored, or is not done with. */
    reason: column.text(100).nullable(),
    error: column.text(10_000).nullable(),
    licensesCreated: column.integer(0),
    /** Products that no mapping names although others of the event were mapped. */
    unmapped: column.texts(255, 1000),
    attempts: column.integer(0),
    /** When it is taken up again. */
    nextAttemptAt: column.time().nullable(),
    receivedAt: column.time(),
    processedAt: column.time().nullable(),
    /** It was kept on the disk while the database was away. */
    spooled: column.flag(),
    /** Base64 of the raw bytes: what was signed. It names the buyer. */
    body: column.text(Number.MAX_SAFE_INTEGER).personal().aside(),
    /** Those that carried the signature. */
    headers: column
      .json(() => z.record(z.string(), z.string()))
      .personal()
      .aside(),
    createdAt: column.time().aside(),
  },
  {
    natural: ['configId', 'processorEventId'],
    kept: 'the row tells a repeated delivery and stays; body and headers of those done with are emptied by their age',
  },
);

/** Deliveries that were refused for one reason, from one address, within one hour. */
export const inboundRefusalRecord = record(
  'license_inbound_refusals',
  {
    configId: configColumn(),
    hour: column.hour(),
    /** As the answer says it (D102). */
    reason: column.text(100, 1),
    ip: column.text(64).personal(),
    /** In words for staff, of the last one; never a secret or a signature. */
    detail: column.text(1000).nullable(),
    count: column.integer(1),
    lastAt: column.time(),
    createdAt: column.time().aside(),
  },
  {
    key: ['configId', 'hour', 'reason', 'ip'],
    kept: [{ as: 'inboundRefusals', by: 'hour', days: inboxDays }],
  },
);

/** What came of a purchase: `[{licenseId, externalProductId}]`. */
export const claimRecord = record(
  'license_inbound_claims',
  {
    configId: configColumn(),
    claimKey: column.text(1000, 1),
    eventId: column.id(ids.inboundEvent).references('license_inbound_events'),
    licenses: column.json(() => z.array(z.object({ licenseId: z.string(), externalProductId: z.string() }))),
    createdAt: column.time().aside(),
  },
  { key: ['configId', 'claimKey'] },
);
