export { createStorage } from './create.ts';
