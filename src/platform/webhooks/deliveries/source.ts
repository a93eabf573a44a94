import type { Ctx, OutboxSource, StoredEvent } from '#kernel/context.ts';
import type { OutboxRow } from '#kernel/outbox/row.ts';
import { ids } from '../record.ts';
import type { SendingService } from '../service.ts';
import { freeze } from './queries.ts';
import type { Subscription } from './repository.ts';
import { mayBeHeard, subscriptionsOf } from './subscriptions.ts';

/** Kind of the outbox entries of webhooks. */
export const WEBHOOK_KIND = 'webhook';

/** Writes a delivery for every webhook that wants an event, in the transaction of the event (M6, D120). */
export function webhookSource(services: readonly SendingService[]): OutboxSource {
  const byName = new Map<string, SendingService>(services.map((service) => [service.name, service]));
  return {
    hasListeners: mayBeHeard,
    async receiversOf(ctx, event, version) {
      const service = byName.get(event.service);
      if (!service) return null;
      const wanting = await whoWants(ctx, service, event, version);
      return wanting.length === 0 ? null : (ctx, event) => freezeAll(ctx, service, event, wanting);
    },
  };
}

async function whoWants(
  ctx: Ctx,
  service: SendingService,
  event: StoredEvent,
  version: number | null,
): Promise<Subscription[]> {
  const of = { tenantId: event.tenantId, service: service.name };
  const wanting: Subscription[] = [];
  for (const one of await subscriptionsOf(ctx, of, version)) {
    if (!service.subscribes(one.events, event.type)) continue;
    if (one.productIds !== null && !(await service.concerns(ctx, event, one.productIds))) continue;
    wanting.push(one);
  }
  return wanting;
}

/** The body becomes text here and stays so: every attempt sends these bytes. */
async function freezeAll(
  ctx: Ctx,
  service: SendingService,
  event: StoredEvent,
  wanting: readonly Subscription[],
): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  for (const { webhookId, productIds, redactEmail } of wanting) {
    const id = ctx.newId(ids.delivery);
    const isFrozen = await freeze(ctx, {
      id,
      webhook_id: webhookId,
      tenant_id: event.tenantId,
      event_id: event.id,
      event: event.type,
      subject: event.subject,
      body: JSON.stringify(service.payload(event, { productIds, redactEmail })),
      at: event.at,
    });
    if (isFrozen) rows.push({ kind: WEBHOOK_KIND, target: webhookId, refId: id, availableAt: event.at });
  }
  return rows;
}
