export { requireRefunder } from './desk.ts';
