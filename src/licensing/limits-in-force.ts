import type { Ctx } from '#kernel/context.ts';
import { type RateLimit, UNLIMITED } from '#kernel/http/rate-limit.ts';
import type { Caller, Surface } from '#kernel/http/surface.ts';
import { type BucketName, limits } from './limits.ts';
import { bucketSettings, limitsEnabled } from './settings.ts';

/** A bucket with the settings' or the caller's own numbers (D15). */
export function ruleInForce(ctx: Ctx, rule: RateLimit, caller: Caller | null): RateLimit {
  const overrides = bucketSettings[rule.bucket as BucketName];
  const own = caller?.limits?.[rule.bucket];
  const max = own?.max ?? ctx.settings.get(overrides.max);
  const windowSeconds = own?.windowSeconds ?? ctx.settings.get(overrides.windowSeconds);
  return max === rule.max && windowSeconds === rule.windowSeconds ? rule : { ...rule, max, windowSeconds };
}

const limited = (rule: RateLimit): RateLimit | null => (rule.max === UNLIMITED ? null : rule);

/**
 * The limits of a surface of the license service.
 *
 * @param switchedOff `APPCTL_RATE_LIMIT=off`: none applies
 */
export function limitsInForce(switchedOff: boolean): Pick<Surface, 'limit' | 'failureLimit'> {
  const apply = (ctx: Ctx): boolean => !switchedOff && ctx.settings.get(limitsEnabled);
  return {
    limit: (ctx, rule, caller) => (apply(ctx) ? limited(ruleInForce(ctx, rule, caller)) : null),
    failureLimit: (ctx) => (apply(ctx) ? limited(ruleInForce(ctx, limits.failures, null)) : null),
  };
}
