export { checkEvents } from './events.ts';
export { countQueues, type QueueCounts } from './queries.ts';
