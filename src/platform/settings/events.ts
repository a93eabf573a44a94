import { change, defineEvents } from '#kernel/events.ts';

/** What happens to settings; their values stand beside it, secrets masked. */
export const settingEvents = defineEvents(
  'platform',
  {
    SETTING_CHANGED: change<Record<string, never>>(),
    /** Somebody looked at a secret. */
    SETTING_REVEALED: change<Record<string, never>>(),
  },
  { target: 'settings' },
);
