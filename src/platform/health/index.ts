export { checkEvents } from './events.ts';
export {
  type Examiner,
  examineBy,
  type Findings,
  knownFindings,
  lastFindings,
  rememberFindings,
} from './known-findings.ts';
export { judgeProcesses } from './process-checks.ts';
export { countQueues, type QueueCounts } from './queries.ts';
export type { CheckResult } from './record.ts';
export { keepResult, keptResults } from './repository.ts';
