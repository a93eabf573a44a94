export type { FlagFilter } from './queries.ts';
export { clear, confirm, flag, get, list } from './review.ts';
export { ruleSpecs } from './rules.ts';
export { listRules, setRule } from './settings.ts';
export type { Flag, RuleSetting } from './view.ts';
