export { flagRows } from './queries.ts';
export { clear, confirm, flag, get } from './review.ts';
export { ruleSpecs } from './rules.ts';
export { listRules, setRule } from './settings.ts';
export type { Flag, RuleSetting } from './view.ts';
