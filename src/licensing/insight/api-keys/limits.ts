import type { Ctx } from '#kernel/context.ts';
import { limitersInForce } from '#kernel/http/limiters-in-force.ts';
import { type OwnLimit, type RateLimit, UNLIMITED } from '#kernel/http/rate-limit.ts';
import { ruleInForce } from '#kernel/service/limits-in-force.ts';
import { lengthText } from '#kernel/time-words.ts';
import { type BucketName, bucketNames, limits } from '#licensing/contract/limits.ts';
import { licensingLimits } from '#licensing/contract/settings.ts';

/** A bucket of an API key as its page shows it. */
interface Used {
  readonly bucket: string;
  readonly used: number;
  /** Null for no limit. */
  readonly most: number | null;
  readonly window: string;
  /** Percent of it that is used. */
  readonly part: number;
  /** `4 minutes` until it opens anew; null where nothing is counted now. */
  readonly resets: string | null;
  readonly isOwn: boolean;
}

/** How much of each of its rate limits an API key has used, where no request is counted for having asked. */
export async function usedLimits(
  ctx: Ctx,
  { id, limits: own }: { readonly id: string; readonly limits: Readonly<Record<string, OwnLimit>> | null },
): Promise<{ readonly limits: readonly Used[]; readonly isShared: boolean }> {
  const { limiters, isShared } = ctx.memory.of(limitersInForce);
  const isOn = limiters !== null && ctx.settings.get(licensingLimits.enabled);
  const used = await Promise.all(
    bucketNames.byKey.map(async (bucket) => {
      const caller = { limits: own ?? {} } as Parameters<typeof ruleInForce>[3];
      const rule: RateLimit = ruleInForce(ctx, licensingLimits, limits[bucket as BucketName], caller);
      const isLimited = isOn && rule.max !== UNLIMITED;
      const open = isLimited ? await limiters.used(rule, id) : null;
      const used = open?.points ?? 0;
      return {
        bucket,
        used,
        most: isLimited ? rule.max : null,
        window: lengthText(rule.windowSeconds),
        part: isLimited ? Math.min(100, Math.round((used / rule.max) * 100)) : 0,
        resets: open ? lengthText(open.resetSeconds) : null,
        isOwn: own?.[bucket] !== undefined,
      };
    }),
  );
  return { limits: used, isShared };
}
