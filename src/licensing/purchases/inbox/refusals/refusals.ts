import type { Ctx } from '#kernel/context.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import { within } from '#kernel/patience.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { LiveIntegration } from '../../integrations/index.ts';
import type { RefusalReason } from '../outcome.ts';
import * as repo from './repository.ts';

/** Why a delivery was refused. */
export interface Refusal {
  reason: RefusalReason;
  /** In words for staff; no secret, no signature, nothing of the body. */
  detail: string;
}

/** Forged deliveries cost nothing to send: neither the log nor the table may be filled by them. */
const LOG_ONE_IN = 100;
const PATIENCE_MS = 1000;

const counted = memoryKey('inbound-refusals', () => ({ refused: 0 }));

/**
 * Keeps in mind that a delivery was refused: counted by hour and address, noted for the request log, and one in a
 * hundred logged (licensing 2.9, step 2). It is no reason to fail, so it never throws.
 *
 * @param config null for an id that nobody has: there is nobody to tell
 */
export async function noteRefusal(
  ctx: Ctx,
  config: Pick<LiveIntegration, 'id' | 'tenantId'> | null,
  { reason, detail }: Refusal,
  ip: string,
): Promise<void> {
  const { trail } = ctx.origin;
  if (trail) {
    trail.decision = { code: reason, denied: true };
    if (config) trail.tenantId = config.tenantId;
  }
  if (!config) return;
  const memory = ctx.memory.of(counted);
  if (memory.refused % LOG_ONE_IN === 0) {
    ctx.log.warn(
      { inbound: config.id, reason, detail, ip },
      'an inbound event was refused (one in 100 is logged)',
    );
  }
  memory.refused += 1;
  const one = { configId: config.id, reason, detail, ip: limitAddress(ip) };
  try {
    await within(
      PATIENCE_MS,
      ctx.tx((ctx) => repo.count(ctx, one)),
    );
  } catch (error) {
    ctx.log.warn({ err: error, inbound: config.id }, 'a refused inbound event was not counted');
  }
}
