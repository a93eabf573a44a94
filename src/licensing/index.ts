import type { Capability } from '#kernel/capability.ts';
import type { Setting } from '#kernel/settings.ts';
import { abuse } from './abuse/index.ts';
import { activations } from './activations/index.ts';
import { bundles } from './bundles/index.ts';
import { heartbeats } from './heartbeats/index.ts';
import { honeypots } from './honeypots/index.ts';
import { inbound, inboundAdministration } from './inbound/index.ts';
import { integrity } from './integrity/index.ts';
import { defaultKeyFormat } from './key-formats/index.ts';
import { licenses } from './licenses/index.ts';
import { limitRefusals } from './limit-refusals/index.ts';
import { offlineTokens } from './offline-tokens/index.ts';
import { onlineKeys } from './online-keys/index.ts';
import { products } from './products/index.ts';
import { releaseKeys } from './release-keys/index.ts';
import { releases } from './releases/index.ts';
import { retention } from './retention/index.ts';
import { seats } from './seats/index.ts';
import { licensingSettings } from './settings.ts';
import { updates } from './updates/index.ts';
import { usage } from './usage/index.ts';
import { validation } from './validation/index.ts';
import { webhookAdministration } from './webhooks/index.ts';
import { writtenBehind } from './written-behind.ts';

export { adminSurface } from './admin-surface.ts';
export { checkInput } from './input.ts';
export { bucketNames } from './limits.ts';
export { licensingSurface } from './surface.ts';

/** Settings that belong to the service as a whole. */
const service: Capability = {
  name: 'licensing',
  settings: [...licensingSettings, defaultKeyFormat as Setting],
};

/** Everything that the license service adds to the program. */
export const licensingCapabilities: readonly Capability[] = [
  service,
  products,
  releases,
  bundles,
  licenses,
  activations,
  seats,
  heartbeats,
  validation,
  usage,
  retention,
  releaseKeys,
  onlineKeys,
  offlineTokens,
  updates,
  honeypots,
  abuse,
  inbound,
  webhookAdministration,
  inboundAdministration,
  writtenBehind,
  integrity,
  limitRefusals,
];
