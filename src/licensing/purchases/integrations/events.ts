import { defineEvents, event } from '#kernel/events.ts';
import type { StoredProcessor } from './record.ts';

interface Named {
  name: string;
  processor: StoredProcessor;
  note?: string;
}
interface Mapping {
  mappingId: string;
  externalProductId: string;
  productId: string;
  product: string;
  note?: string;
}

/** What happens to integrations and to their mappings, in the timeline of the integration. */
export const integrationEvents = defineEvents(
  'platform',
  {
    INBOUND_CONFIG_CREATED: event<Named & { enabled: boolean }>(),
    INBOUND_CONFIG_UPDATED: event<
      Named & { enabled: boolean; secretReplaced: boolean; previousUntil: string | null }
    >(),
    INBOUND_CONFIG_DELETED: event<Named>(),
    PRODUCT_MAPPED: event<Mapping>(),
    PRODUCT_MAPPING_UPDATED: event<Mapping>(),
    PRODUCT_UNMAPPED: event<Mapping>(),
  },
  { target: 'integrations' },
);
