import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { isId } from '#kernel/ids.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { ids } from '#licensing/contract/ids.ts';
import type { LiveIntegration } from './integration.ts';
import * as mappings from './mappings/repository.ts';
import * as repo from './repository.ts';
import { openSecret } from './secrets.ts';

interface Kept {
  readonly config: Omit<LiveIntegration, 'secrets'>;
  readonly current: string;
  readonly previous: { readonly secret: string; readonly until: string } | null;
  readonly lastEventAt: string | null;
}

/** What was loaded last, by id: events must be checked and kept while the database is away (D101). */
const keptConfigs = memoryKey('inbound-configs', () => new Map<string, Kept>());

const TOUCH_EVERY_MS = 60_000;

/**
 * The integration that an event names, of whatever tenant, with its secrets opened. The rows are read every time:
 * what was deleted, disabled or rotated counts from the next event on, in every process.
 *
 * @returns null for an unknown or deleted one; a disabled one says so by `enabled`
 * @throws SealError when the master key does not open its secret, and what the database throws
 */
export async function load(ctx: Ctx, configId: string): Promise<LiveIntegration | null> {
  if (!isId(ids.integration, configId)) return null;
  const stored = await repo.findLive(ctx, configId);
  const memory = ctx.memory.of(keptConfigs);
  if (!stored) {
    memory.delete(configId);
    return null;
  }
  const { id, tenantId, name, processor, enabled, notificationUrl, previousSecretEnc, previousUntil } =
    stored;
  const kept: Kept = {
    config: {
      id,
      tenantId,
      name,
      processor,
      enabled,
      notificationUrl,
      mappings: await mappings.listAll(ctx, id),
    },
    current: openSecret(ctx, id, stored.secretEnc),
    previous:
      previousSecretEnc !== null && previousUntil !== null && previousUntil > ctx.now()
        ? { secret: openSecret(ctx, id, previousSecretEnc, 'previous'), until: previousUntil }
        : null,
    lastEventAt: stored.lastEventAt,
  };
  memory.set(configId, kept);
  return liveOf(ctx, kept);
}

/** What this process loaded last; for when the database is away, never instead of asking it. */
export function cached(ctx: Ctx, configId: string): LiveIntegration | null {
  const kept = ctx.memory.of(keptConfigs).get(configId);
  return kept ? liveOf(ctx, kept) : null;
}

function liveOf(ctx: Ctx, { config, current, previous }: Kept): LiveIntegration {
  const isStillValid = previous !== null && previous.until > ctx.now();
  return { ...config, secrets: isStillValid ? [current, previous.secret] : [current] };
}

/**
 * Notes that an event came, at most once a minute. Call it outside of a transaction: events of one integration
 * must not wait for each other's. It may be lost, so a failure is only logged.
 */
export async function touchLastEvent(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  const before = isoTime(Date.parse(now) - TOUCH_EVERY_MS);
  const kept = ctx.memory.of(keptConfigs).get(id);
  if (kept && kept.lastEventAt !== null && kept.lastEventAt >= before) return;
  try {
    await ctx.tx((ctx) => repo.touchLastEvent(ctx, { id, now, before }));
  } catch (error) {
    ctx.log.warn({ err: error, configId: id }, 'the time of the last event was not noted');
  }
}
