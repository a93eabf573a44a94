import type { TargetRules } from '#kernel/outbound/types.ts';

/** Rules of outbound requests; refusals name the settings of webhooks. */
export const targetRules = (rules: Omit<TargetRules, 'opensMore'>): TargetRules => ({
  ...rules,
  opensMore: { http: 'webhooks.allow_http', ranges: 'webhooks.allowed_private_cidrs' },
});
