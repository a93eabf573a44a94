import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { InboundEventDetails } from './events/queries.ts';
import { simulate } from './simulate.ts';

/** What an event still waits for, and what it made. */
export async function outcomeOf(ctx: Ctx, event: InboundEventDetails): Promise<Record<string, unknown>> {
  const { id, configId, licenses, error, status } = event;
  const unmapped = await unmappedIn(ctx, event);
  return {
    status,
    error,
    licenses,
    path: `/admin/inbound-events/${encodeURIComponent(id)}`,
    mayWrite: allows(ctx.actor, 'licensing:write'),
    unmapped: unmapped.map((product) => ({
      product,
      href: `/admin/integrations/${encodeURIComponent(configId)}/mappings/new?${new URLSearchParams({ externalProductId: product })}`,
    })),
  };
}

/** Products of an event that no mapping names: stored where others of it were mapped, else what its body would come to. */
async function unmappedIn(
  ctx: Ctx,
  { configId, reason, unmapped, body }: InboundEventDetails,
): Promise<readonly string[]> {
  if (reason !== 'UNMAPPED' || body === null) return unmapped;
  try {
    return (await simulate(ctx, configId, JSON.parse(body))).unmapped;
  } catch (error) {
    // A body that is no JSON, or an integration that is gone: there is nothing to map then.
    if (error instanceof AppError || error instanceof SyntaxError) return unmapped;
    throw error;
  }
}

/** What was received, without what is personal or secret in it. */
export async function receivedBody(_ctx: Ctx, event: InboundEventDetails): Promise<Record<string, unknown>> {
  return { body: event.body === null ? null : redacted(event.body), headers: Object.keys(event.headers) };
}

/** Names of what tells who somebody is, or lets somebody act for them. */
const PRIVATE =
  /e?mail|phone|address|street|line[12]$|postal|zip|city|card|iban|account|token|secret|signature|password|(?:^|_)(?:ip|name|first|last)(?:$|_)|(?:first|last|full|customer|buyer|holder)_?name/i;

/**
 * The body of an event as it may be looked at over somebody's shoulder. Pure.
 *
 * @param body as it was received
 * @returns JSON on several lines; null for what is no JSON, of which nobody knows what is in it
 */
export function redacted(body: string): string | null {
  try {
    return JSON.stringify(JSON.parse(body, mask), null, 2);
  } catch {
    return null;
  }
}

const mask = (name: string, value: unknown): unknown => {
  const isPlain = typeof value === 'string' || typeof value === 'number';
  if (isPlain && PRIVATE.test(name)) return '***';
  // Whatever a field is called, an email address is one.
  return typeof value === 'string' ? value.replaceAll(/[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>]+/g, '***') : value;
};
