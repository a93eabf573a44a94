export { countQueues, type QueueCounts } from './queries.ts';
