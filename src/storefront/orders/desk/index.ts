export { requireRefunder } from './desk.ts';
export { orderPath, orRefused } from './refused.ts';
export { money, stateWords } from './words.ts';
