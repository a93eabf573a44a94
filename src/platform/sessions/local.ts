import type { LocalPart } from '#kernel/capability.ts';
import { requireAdminTwoFactor, sessionIdleTimeout, sessionMaxAge } from './settings.ts';

export const sessionsLocal = {
  name: 'sessions',
  settings: [sessionMaxAge, sessionIdleTimeout, requireAdminTwoFactor],
} satisfies LocalPart;
