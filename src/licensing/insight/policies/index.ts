export { policyFactsOf } from './facts.ts';
export { impact } from './impact.ts';
export type { Impact } from './view.ts';
