export { abuseEvents } from './events.ts';
export { raise, type Suspicion } from './raise.ts';
export {
  countedRules,
  type RuleSpec,
  ruleSpecs,
} from './rules.ts';
export { listRules, type RuleSetting, setRule } from './settings.ts';
