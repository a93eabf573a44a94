import { change, defineEvents } from '#kernel/events.ts';

type Nothing = Record<string, never>;

/** What came by an import, but for licenses, whose own line says more. */
export const importEvents = defineEvents(
  'license',
  {
    TENANT_IMPORTED: change<Nothing>(),
    PRODUCT_IMPORTED: change<Nothing>(),
    SIGNING_KEY_IMPORTED: change<Nothing>(),
    KEY_FORMAT_IMPORTED: change<Nothing>(),
    POLICY_IMPORTED: change<Nothing>(),
    CUSTOMER_IMPORTED: change<Nothing>(),
    RELEASE_IMPORTED: change<Nothing>(),
  },
  { target: 'imports' },
);
