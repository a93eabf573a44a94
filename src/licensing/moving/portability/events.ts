import { defineEvents, event } from '#kernel/events.ts';

type Nothing = Record<string, never>;

/** What came by an import, but for licenses, whose own line says more. */
export const importEvents = defineEvents(
  'license',
  {
    TENANT_IMPORTED: event<Nothing>(),
    PRODUCT_IMPORTED: event<Nothing>(),
    SIGNING_KEY_IMPORTED: event<Nothing>(),
    KEY_FORMAT_IMPORTED: event<Nothing>(),
    POLICY_IMPORTED: event<Nothing>(),
    CUSTOMER_IMPORTED: event<Nothing>(),
    RELEASE_IMPORTED: event<Nothing>(),
  },
  { target: 'imports' },
);
