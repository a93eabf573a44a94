import { capability } from '#kernel/capability.ts';
import { inboundChecks } from './checks.ts';
import { inboundEndpoints } from './endpoints.ts';
import { retryInbox } from './inbox/retry.ts';
import { ingestSpool } from './spool/spool.ts';

export { inboundAdministration } from './administration.ts';
export { listUnclaimed } from './claims/queries.ts';
export {
  endpointPath,
  endpointUrl,
  type InboundConfig,
  type InboundMapping,
  type LiveConfig,
} from './configs/config.ts';
export {
  createConfig,
  getConfig,
  listConfigs,
  type MadeConfig,
  removeConfig,
  updateConfig,
} from './configs/configs.ts';
export type {
  ConfigCreateInput,
  ConfigUpdateInput,
  MappingInputFields,
  MappingUpdateInput,
} from './configs/schemas.ts';
export { getInboundEvent, listInboundEvents, type Reprocessed, reprocess } from './inbox/events.ts';
export type { InboundEvent, InboundEventDetails, InboundEventFilter } from './inbox/queries.ts';
export { listMappings, mapProduct, mappingsOf, unmapProduct, updateMapping } from './mappings/mappings.ts';
export { EVENT_STATUSES, type EventStatus } from './outcome.ts';
export { receive } from './receive.ts';
export { countRecentRefusals, listRefusals } from './refusals/listing.ts';
export type { CountedRefusal } from './refusals/queries.ts';
export { type SignedSample, signedSample } from './sample.ts';
export { type Simulated, type SimulatedLicense, simulate } from './simulate.ts';
export { type SpoolState, spoolState } from './spool/files.ts';
export { countWaiting } from './watch/queries.ts';

export const inbound = capability({
  name: 'inbound',
  endpoints: inboundEndpoints,
  checks: inboundChecks,
  jobs: [
    {
      name: 'inbound-retry',
      description: 'Processes purchases of payment processors that could not be processed at once',
      everySeconds: 15,
      run: retryInbox,
    },
    {
      name: 'spool-ingest',
      description: 'Takes in what payment processors reported while the database was away',
      everySeconds: 10,
      // The spool is a folder of this machine: no other process may be able to read it.
      everyProcess: true,
      run: ingestSpool,
    },
  ],
});
