import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { AdminCreateInput } from '#licensing/licenses/licenses/index.ts';
import type { ProductMapping } from '../integrations/index.ts';
import * as integrations from '../integrations/index.ts';
import type { EventStatus } from './outcome.ts';
import { planPurchase } from './processing/plan.ts';
import type { EventKind, PurchaseItem } from './processors/event.ts';
import { readEvent } from './processors/processors.ts';

/** A license that an event would make. */
export interface SimulatedLicense {
  externalProductId: string;
  productId: string;
  productSlug: string;
  type: string;
  tier: string;
  maxActivations: number;
  validUntil: string | null;
  customerEmail: string;
  orderId: string | null;
}

/** What an event would come to (licensing 4.2, simulate). */
export interface Simulated {
  event: { id: string; name: string; kind: EventKind };
  /** As the inbox would have it. */
  status: EventStatus;
  reason: string | null;
  message: string | null;
  matched: ProductMapping[];
  unmapped: string[];
  wouldCreate: SimulatedLicense[];
}

/**
 * What an event would make, if it came now and for the first time: nothing is written, no signature is asked for.
 *
 * @param configId id or name
 * @param payload the event as an object, or as the text or bytes that would come
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for what is no event; CONFLICT for an unsupported processor
 */
export async function simulate(ctx: Ctx, configId: string, payload: unknown): Promise<Simulated> {
  const { id } = await integrations.get(ctx, configId);
  const config = await integrations.load(ctx, id);
  if (!config || config.processor === 'WALLET')
    throw fail('CONFLICT', 'events of this processor are not supported');
  const event = readEvent(config.processor, bytesOf(payload));
  if (!event) throw noEvent();
  const shown = { event: { id: event.id, name: event.name, kind: event.kind } };
  const nothing = { message: null, matched: [], unmapped: [], wouldCreate: [] };
  if (event.isOwnStore || event.kind === 'OTHER')
    return { ...shown, ...nothing, status: 'IGNORED', reason: 'EVENT_IGNORED' };
  if (event.kind === 'REFUND') return { ...shown, ...nothing, status: 'PROCESSED', reason: null };
  const { mappings } = config;
  const plan = planPurchase({ event, mappings, receivedAt: ctx.now(), only: null });
  const named = event.items.flatMap(({ externalIds }) => externalIds);
  const matched = mappings.filter(({ externalProductId }) => named.includes(externalProductId));
  const unmapped = namesWithout(mappings, event.items);
  if ('status' in plan) {
    const { status, reason, message } = plan;
    return { ...shown, ...nothing, status, reason, message, matched, unmapped };
  }
  const wouldCreate = plan.licenses.map(({ input, mapping }) => licenseOf(input, mapping));
  return { ...shown, ...nothing, status: 'PROCESSED', reason: null, matched, unmapped, wouldCreate };
}

/** What is to be mapped, also when the event fails: every line that no mapping names, by the first of its ids. */
function namesWithout(mappings: readonly ProductMapping[], items: readonly PurchaseItem[]): string[] {
  const mapped = new Set(mappings.map(({ externalProductId }) => externalProductId));
  const lines = items.filter(({ externalIds }) => !externalIds.some((id) => mapped.has(id)));
  return [...new Set(lines.flatMap(({ externalIds }) => externalIds.slice(0, 1)))];
}

function bytesOf(payload: unknown): Buffer {
  if (payload instanceof Uint8Array) return Buffer.from(payload);
  return Buffer.from(typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? ''));
}

function noEvent() {
  const message = 'is not a JSON object with the name and id of an event of this processor';
  return fail('VALIDATION_ERROR', `payload ${message}`, {
    details: { issues: [{ path: 'payload', rule: 'invalid_format', message }] },
  });
}

const licenseOf = (
  input: AdminCreateInput,
  { externalProductId, productId, productSlug, licenseType, licenseTier }: ProductMapping,
): SimulatedLicense => ({
  externalProductId,
  productId,
  productSlug,
  type: licenseType,
  tier: licenseTier,
  maxActivations: input.maxActivations as number,
  validUntil: input.validUntil ?? null,
  customerEmail: input.customerEmail,
  orderId: input.orderId ?? null,
});
