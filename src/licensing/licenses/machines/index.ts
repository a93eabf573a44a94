export { activate } from './activate.ts';
export { clear } from './clear.ts';
export { deactivate, remove } from './deactivate.ts';
