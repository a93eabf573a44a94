export { emptyInbox } from './bodies/repository.ts';
export { listUnclaimed } from './claims/queries.ts';
export { getInboundEvent, reprocess } from './events/events.ts';
export { type InboundEvent, unmappedByIntegration } from './events/queries.ts';
export { EVENT_STATUSES, type EventStatus } from './outcome.ts';
export { receive } from './receive.ts';
export { inboundSpool } from './spool.ts';
export { countWaiting } from './watch/queries.ts';
