export { type ExplainedRefusal, explainRefusals } from './explain.ts';
