import type { Ctx } from '#kernel/context.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as integrations from '../integrations/index.ts';
import { endpointUrl } from '../integrations/index.ts';
import { inboxEvents } from './events/told.ts';
import { type SamplePurchase, sampleBody, signSample } from './processors/sample.ts';

/** What a sample is to say; a mapping of the integration names the product when nothing else does. */
export interface SampleWish {
  externalProductId?: string | undefined;
  email: string;
}

/** A signed event, as the processor would send it. */
export interface SignedSample {
  configId: string;
  externalProductId: string;
  orderId: string;
  /** JSON text. */
  body: string;
  headers: Record<string, string>;
}

/**
 * Builds and signs a purchase with the secret of the integration, for `appctl integration test`. Whoever gets it
 * can make a license with it, like the processor itself: it is for staff, the audit log says so, and a rehearsal leaves
 * it unsigned.
 *
 * @param config id or name
 * @throws AppError NOT_FOUND; CONFLICT when nothing is mapped, the integration is disabled or its processor unsupported
 */
export async function signedSample(ctx: Ctx, config: string, wish: SampleWish): Promise<SignedSample> {
  const { id, name } = await integrations.get(ctx, config);
  const live = await integrations.load(ctx, id);
  if (!live?.enabled) throw refuse(`${name} is disabled`, `appctl integration update ${id} --enable`);
  if (live.processor === 'WALLET') throw refuse(`${name} has an unsupported processor`);
  const externalProductId = wish.externalProductId ?? live.mappings[0]?.externalProductId;
  if (externalProductId === undefined) {
    throw refuse(
      `nothing is mapped in ${name}: no purchase would make a license`,
      `appctl integration map ${id} --external PRODUCT_ID --product SLUG`,
    );
  }
  // The random part of an id of ours: two samples must be two purchases.
  const unique = ctx.newId(ids.inboundEvent).slice(4).toLowerCase();
  const orderId = `test-${unique}`;
  const purchase: SamplePurchase = { unique, externalProductId, email: wish.email, orderId };
  const raw = sampleBody(live.processor, purchase);
  const sample = { configId: id, externalProductId, orderId, body: raw.toString('utf8') };
  if (isRehearsal(ctx)) return { ...sample, headers: {} };
  const headers = signSample(live.processor, {
    raw,
    secret: live.secrets[0] as string,
    notificationUrl: live.notificationUrl ?? endpointUrl(ctx.baseUrl, id),
    nowMs: Date.parse(ctx.now()),
  });
  const told = { externalProductId, orderId };
  await ctx.tx((ctx) => inboxEvents.tell(ctx, 'INBOUND_SAMPLE_SIGNED', id, told, { target: 'integrations' }));
  return { ...sample, headers };
}

const refuse = (message: string, hint?: string) =>
  fail('CONFLICT', message, { details: { ...(hint !== undefined && { hint }) } });
