import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { isRange } from '#kernel/http/client-address.ts';
import type { TargetRules } from '#kernel/outbound/types.ts';
import { setting } from '#kernel/settings.ts';

const group = 'webhooks';
const MAX_RANGES = 50;

const range = z.string().refine(isRange, {
  error: ({ input }) => `${input} is not an address range; one looks like 10.0.0.0/8 or fd00::/8`,
});

/** As operators write them: `10.0.0.0/8,fd00::/8`, as in APPCTL_WEBHOOK_ALLOW_PRIVATE; empty for none. */
const splitRanges = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
    : value;

export const allowHttp = setting({
  key: 'webhooks.allow_http',
  group,
  description: 'Whether webhooks may be sent to http addresses as well as https',
  schema: z.boolean(),
  default: false,
});

export const allowedPrivateCidrs = setting({
  key: 'webhooks.allowed_private_cidrs',
  group,
  description: 'Private address ranges that webhooks may reach, also over http',
  schema: () =>
    z.preprocess(
      splitRanges,
      z.array(range, 'must be a list of address ranges such as 10.0.0.0/8,fd00::/8').max(MAX_RANGES),
    ),
  default: [] as string[],
});

const opensMore = { http: allowHttp.key, ranges: allowedPrivateCidrs.key };

/** What addresses of webhooks must fulfil now; every save and every attempt asks anew. */
export const targetRules = ({ settings }: Ctx): TargetRules => ({
  allowHttp: settings.get(allowHttp),
  openedRanges: settings.get(allowedPrivateCidrs),
  opensMore,
});
