import { change, defineEvents } from '#kernel/events.ts';
import type { StoredProcessor } from './record.ts';
import { integrationRecord } from './record.ts';

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
    INBOUND_CONFIG_CREATED: change<Named & { enabled: boolean }>(),
    INBOUND_CONFIG_UPDATED: change<
      Named & { enabled: boolean; secretReplaced: boolean; previousUntil: string | null }
    >(),
    INBOUND_CONFIG_DELETED: change<Named>(),
    PRODUCT_MAPPED: change<Mapping>(),
    PRODUCT_MAPPING_UPDATED: change<Mapping>(),
    PRODUCT_UNMAPPED: change<Mapping>(),
  },
  { target: 'integrations', record: integrationRecord },
);
