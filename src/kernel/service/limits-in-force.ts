import type { Ctx } from '../context.ts';
import { type RateLimit, UNLIMITED } from '../http/rate-limit.ts';
import type { Caller, Surface } from '../http/surface.ts';
import type { Setting } from '../settings.ts';

/** The rate limits of a service and the settings that override them. */
export interface ServiceLimits {
  /** Whether any of them applies. */
  readonly enabled: Setting<boolean>;
  /** The two overrides of every bucket (D15). */
  readonly settings: Readonly<
    Record<string, { readonly max: Setting<number>; readonly windowSeconds: Setting<number> }>
  >;
  /** Distinct unknown credentials that one address may present (D19d). */
  readonly failures: RateLimit;
}

/** A bucket with the settings' or the caller's own numbers (D15). */
export function ruleInForce(
  ctx: Ctx,
  { settings }: ServiceLimits,
  rule: RateLimit,
  caller: Caller | null,
): RateLimit {
  const overrides = settings[rule.bucket];
  if (!overrides) return rule;
  const own = caller?.limits?.[rule.bucket];
  const max = own?.max ?? ctx.settings.get(overrides.max);
  const windowSeconds = own?.windowSeconds ?? ctx.settings.get(overrides.windowSeconds);
  return max === rule.max && windowSeconds === rule.windowSeconds ? rule : { ...rule, max, windowSeconds };
}

const limited = (rule: RateLimit): RateLimit | null => (rule.max === UNLIMITED ? null : rule);

/**
 * The limits of a surface. Buckets that no setting of the service knows are not its own, such as those of sign-ins: they
 * hold whatever an operator switches off of the service.
 *
 * @param limits of its service
 * @param switchedOff `APPCTL_RATE_LIMIT=off`: none applies
 */
export function limitsInForce(
  limits: ServiceLimits,
  switchedOff: boolean,
): Pick<Surface, 'limit' | 'failureLimit'> {
  const apply = (ctx: Ctx): boolean => !switchedOff && ctx.settings.get(limits.enabled);
  return {
    limit: (ctx, rule, caller) => {
      if (!Object.hasOwn(limits.settings, rule.bucket)) return switchedOff ? null : rule;
      return apply(ctx) ? limited(ruleInForce(ctx, limits, rule, caller)) : null;
    },
    failureLimit: (ctx) => (apply(ctx) ? limited(ruleInForce(ctx, limits, limits.failures, null)) : null),
  };
}
