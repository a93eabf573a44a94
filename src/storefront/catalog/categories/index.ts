export { bySlug, change, create, get, remove } from './categories.ts';
export type { Category } from './record.ts';
