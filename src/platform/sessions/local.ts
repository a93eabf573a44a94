import type { LocalPart } from '#kernel/capability.ts';
import { sessionIdleTimeout, sessionMaxAge } from './settings.ts';

export const sessionsLocal = {
  name: 'sessions',
  settings: [sessionMaxAge, sessionIdleTimeout],
} satisfies LocalPart;
