import { addSeconds, durationText, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { licensingLimits } from '#licensing/contract/settings.ts';
import * as refusals from '#platform/limit-refusals/index.ts';
import { get as getTenant } from '#platform/tenants/index.ts';

/** An operator who is told of a limit today does not want last month's. */
const RECENT_SECONDS = SECONDS_PER_DAY;
/** A first try: ten times the limit takes a launch, and still bounds a client that runs wild. */
const STEP = 10;

/** Requests that one limit has refused, in words. */
export interface ExplainedRefusal extends refusals.LimitRefusal {
  /** `API key key_… (app)`, `address 203.0.113.7`. */
  who: string;
  /** `15 per 15m`. */
  limit: string;
  /** The command that raises it; for somebody who guesses at credentials the one that shows what was tried. */
  command: string;
}

/**
 * Refusals by rate limits with what raises each limit, the most first.
 *
 * @param filter as for a list; without `since` those of the last 24 hours
 */
export async function explainRefusals(
  ctx: Ctx,
  filter: refusals.RefusalFilter = {},
): Promise<ExplainedRefusal[]> {
  const since = filter.since ?? addSeconds(ctx.now(), -RECENT_SECONDS);
  const found = await refusals.list(ctx, { ...filter, since });
  return Promise.all(found.map((one) => explain(ctx, one)));
}

async function explain(ctx: Ctx, one: refusals.LimitRefusal): Promise<ExplainedRefusal> {
  return {
    ...one,
    who: whoIs(one),
    limit: `${one.max} per ${durationText(one.windowSeconds)}`,
    command: await commandFor(ctx, one),
  };
}

function whoIs({ kind, subject, apiKey }: refusals.LimitRefusal): string {
  if (kind === 'other') return 'many other addresses';
  if (kind === 'address') return `address ${subject}`;
  return apiKey ? `API key ${subject} (${apiKey.name})` : `API key ${subject}`;
}

async function commandFor(ctx: Ctx, one: refusals.LimitRefusal): Promise<string> {
  const more = one.max * STEP;
  const { apiKey, bucket, windowSeconds } = one;
  if (bucket === 'failures')
    return one.kind === 'address' ? `appctl requests list --ip ${one.subject}` : 'appctl requests list';
  // No setting raises it: what matters is whose account was tried.
  if (!Object.hasOwn(licensingLimits.settings, bucket)) return 'appctl events tail --type SIGN_IN_FAILED';
  if (!apiKey) return `appctl settings set licensing.limits.${bucket}.max ${more}`;
  const tenant =
    apiKey.tenantId === ctx.tenantId ? '' : ` --tenant ${(await getTenant(ctx, apiKey.tenantId)).slug}`;
  return `appctl apikey update ${apiKey.id} --limit ${bucket}=${more}/${durationText(windowSeconds)}${tenant}`;
}
