import { defineEvents, event } from '#kernel/events.ts';
import type { Damage } from './verify.ts';

/** What becomes known of stored bundles. */
export const bundleEvents = defineEvents(
  'license',
  {
    RELEASE_BUNDLE_DAMAGED: event<{ version: string; filename: string; sha256: string; reason: Damage }>(),
  },
  { target: 'releases' },
);
