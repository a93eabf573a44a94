import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import { setting } from '#kernel/settings.ts';

/** Read here, because it is the session that may do nothing else until it is done. */
export const requireAdminTwoFactor = setting({
  key: 'require_admin_2fa',
  group: 'security',
  description: 'Require two-factor sign-in for all staff',
  schema: z.boolean(),
  default: false,
});

const group = 'security';

export const sessionMaxAge = setting({
  key: 'session_max_age_days',
  group,
  description: 'Days until a browser has to sign in again, even if it was in use',
  schema: () => z.int('must be a whole number of days').min(1).max(365),
  default: 7,
});

export const sessionIdleTimeout = setting({
  key: 'session_idle_timeout_minutes',
  group,
  description: 'Minutes of inactivity until a browser has to sign in again',
  schema: () => z.int('must be a whole number of minutes').min(1).max(10_080),
  default: 120,
});

export const sessionsLocal = {
  name: 'sessions',
  settings: [sessionMaxAge, sessionIdleTimeout, requireAdminTwoFactor],
} satisfies LocalPart;
