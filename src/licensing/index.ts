import type { Capability } from '#kernel/capability.ts';
import { customers } from './catalog/customers/capability.ts';
import { keyFormats } from './catalog/key-formats/capability.ts';
import { keys } from './catalog/keys/capability.ts';
import { policies } from './catalog/policies/capability.ts';
import { products } from './catalog/products/capability.ts';
import { licenseEvents, licenseSignals, timelineEvents } from './contract/events.ts';
import { abuse } from './insight/abuse/capability.ts';
import { apiKeyAdministration } from './insight/api-keys/capability.ts';
import { timeline } from './insight/events/capability.ts';
import { honeypots } from './insight/honeypots/capability.ts';
import { limitRefusals } from './insight/limit-refusals/capability.ts';
import { policyAdministration } from './insight/policies/capability.ts';
import { reports } from './insight/reports/capability.ts';
import { requests } from './insight/requests/capability.ts';

import { simulator } from './insight/simulator/capability.ts';
import { statistics } from './insight/statistics/capability.ts';
import { totals } from './insight/totals/capability.ts';
import { webhookAdministration } from './insight/webhooks/capability.ts';
import { activations } from './licenses/activations/capability.ts';
import { heartbeats } from './licenses/heartbeats/capability.ts';
import { holders } from './licenses/holders/capability.ts';
import { licenses } from './licenses/licenses/capability.ts';
import { machines } from './licenses/machines/capability.ts';
import { offlineTokens } from './licenses/offline-tokens/capability.ts';
import { seats } from './licenses/seats/capability.ts';
import { usage } from './licenses/usage/capability.ts';
import { validation } from './licenses/validation/capability.ts';
import { serviceLocal } from './local.ts';
import { integrity } from './moving/integrity/capability.ts';
import { portability } from './moving/portability/capability.ts';
import { retentionOf } from './moving/retention/index.ts';
import { transfers } from './moving/transfers/capability.ts';
import { inbox } from './purchases/inbox/capability.ts';
import { integrations } from './purchases/integrations/capability.ts';
import { bundles } from './releases/bundles/capability.ts';
import { releases } from './releases/releases/capability.ts';
import { updates } from './releases/updates/capability.ts';

export { fail as licensingErrors } from './contract/errors.ts';
export { bucketNames } from './contract/limits.ts';
export { licensingLimits } from './contract/settings.ts';
export { licensingSurface } from './surface.ts';

/** Settings that belong to the service as a whole. */
const service: Capability = {
  ...serviceLocal,
  events: [licenseEvents, timelineEvents, licenseSignals],
};

/** Everything that the license service adds to the program. */
export const licensingCapabilities: readonly Capability[] = [
  service,
  keyFormats,
  policies,
  customers,
  products,
  releases,
  bundles,
  licenses,
  holders,
  activations,
  machines,
  seats,
  heartbeats,
  validation,
  usage,
  portability,
  transfers,
  retentionOf(() => licensingCapabilities.flatMap(({ records = [] }) => records)),
  keys,
  offlineTokens,
  updates,
  honeypots,
  abuse,
  policyAdministration,
  webhookAdministration,
  apiKeyAdministration,
  integrations,
  inbox,
  requests,
  simulator,
  timeline,
  statistics,
  reports,
  totals,
  integrity,
  limitRefusals,
];
