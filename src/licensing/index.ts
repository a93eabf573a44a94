import type { Capability } from '#kernel/capability.ts';
import type { Setting } from '#kernel/settings.ts';
import { customers } from './catalog/customers/index.ts';
import { defaultKeyFormat, keyFormats } from './catalog/key-formats/index.ts';
import { keys } from './catalog/keys/index.ts';
import { policies } from './catalog/policies/index.ts';
import { products } from './catalog/products/index.ts';
import { licenseEvents, licenseSignals, timelineEvents } from './contract/events.ts';
import { licensingSettings } from './contract/settings.ts';
import { abuse } from './insight/abuse/index.ts';
import { honeypots } from './insight/honeypots/index.ts';
import { limitRefusals } from './insight/limit-refusals/index.ts';
import { requests } from './insight/requests/index.ts';
import { statistics } from './insight/statistics/index.ts';
import { webhookAdministration } from './insight/webhooks/index.ts';
import { activations } from './licenses/activations/index.ts';
import { heartbeats } from './licenses/heartbeats/index.ts';
import { licenses } from './licenses/licenses/index.ts';
import { machines } from './licenses/machines/index.ts';
import { offlineTokens } from './licenses/offline-tokens/index.ts';
import { seats } from './licenses/seats/index.ts';
import { usage } from './licenses/usage/index.ts';
import { validation } from './licenses/validation/index.ts';
import { integrity } from './moving/integrity/index.ts';
import { portability } from './moving/portability/index.ts';
import { retentionOf } from './moving/retention/index.ts';
import { inbox } from './purchases/inbox/index.ts';
import { integrations } from './purchases/integrations/index.ts';
import { bundles } from './releases/bundles/index.ts';
import { releases } from './releases/releases/index.ts';
import { updates } from './releases/updates/index.ts';

export { fail as licensingErrors } from './contract/errors.ts';
export { bucketNames } from './contract/limits.ts';
export { licensingLimits } from './contract/settings.ts';
export { licensingSurface } from './surface.ts';

/** Settings that belong to the service as a whole. */
const service: Capability = {
  name: 'licensing',
  settings: [...licensingSettings, defaultKeyFormat as Setting],
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
  activations,
  machines,
  seats,
  heartbeats,
  validation,
  usage,
  portability,
  retentionOf(() => licensingCapabilities.flatMap(({ records = [] }) => records)),
  keys,
  offlineTokens,
  updates,
  honeypots,
  abuse,
  webhookAdministration,
  integrations,
  inbox,
  requests,
  statistics,
  integrity,
  limitRefusals,
];
