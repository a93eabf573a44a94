import { defineEvents, event } from '#kernel/events.ts';

/** What only the timeline of a license tells of what staff do with it. */
export const licenseStaffEvents = defineEvents(
  'license',
  {
    LICENSE_UPDATED: event<{ fields: readonly string[] }>(),
    LICENSE_TRANSFERRED: event<{ deactivatedMachineIds: readonly string[] }>(),
    LICENSE_KEY_REVEALED: event<{ reason: string | null }>(),
    LICENSE_PURGED: event<Record<string, never>>(),
  },
  { target: 'licenses' },
);
