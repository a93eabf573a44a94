import type { Ctx } from '#kernel/context.ts';
import { readVersion } from '#kernel/outbox/subscriptions/repository.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { WebhookServiceName } from '../service.ts';
import { listSubscriptions, type Subscription } from './repository.ts';

/** Who subscribes, as this process last read it. */
interface Known {
  /** Of the counter; null before there is one. */
  readonly version: number | null;
  readonly byTenant: ReadonlyMap<string, readonly Subscription[]>;
}

const memory = memoryKey('webhook subscriptions', (): { known: Known | null } => ({ known: null }));

/** Whether any webhook of the tenant is enabled; true also as long as nobody has asked the database. */
export function mayBeHeard(ctx: Ctx): boolean {
  const { known } = ctx.memory.of(memory);
  return known === null || known.byTenant.has(ctx.tenantId);
}

/**
 * The enabled webhooks of a service in a tenant, from memory as long as the version that the transaction sees is that
 * of the memory: a change is seen by the very next event in any process, and costs none of them a read.
 *
 * @param version null outside of a transaction: what the ticker read a second ago is good enough
 */
export async function subscriptionsOf(
  ctx: Ctx,
  of: { tenantId: string; service: WebhookServiceName },
  version: number | null,
): Promise<readonly Subscription[]> {
  const held = ctx.memory.of(memory);
  let { known } = held;
  if (known === null || (version !== null && version !== known.version)) {
    known = await load(ctx);
    held.known = known;
  }
  return known.byTenant.get(of.tenantId)?.filter(({ service }) => service === of.service) ?? [];
}

/** Reads anew when another process has changed a webhook. */
export async function refreshSubscriptions(ctx: Ctx): Promise<void> {
  const held = ctx.memory.of(memory);
  if (held.known !== null && held.known.version === (await readVersion(ctx))) return;
  held.known = await load(ctx);
}

/** What this process remembers is of no use any more. */
export const forgetSubscriptions = (ctx: Ctx): void => {
  ctx.memory.of(memory).known = null;
};

/** The version first: a change between the two reads is then seen as one, and read again. */
async function load(ctx: Ctx): Promise<Known> {
  const version = await readVersion(ctx);
  const byTenant = new Map<string, Subscription[]>();
  for (const one of await listSubscriptions(ctx)) {
    const others = byTenant.get(one.tenantId);
    if (others) others.push(one);
    else byTenant.set(one.tenantId, [one]);
  }
  return { version, byTenant };
}
