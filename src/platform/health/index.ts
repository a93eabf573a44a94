export { checkEvents } from './events.ts';
export {
  type FindingCounts,
  knownFindings,
  lastFindings,
  rememberFindings,
  runChecksBy,
} from './known-findings.ts';
export { countQueues, type QueueCounts } from './queries.ts';
