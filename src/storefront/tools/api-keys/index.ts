export { create } from './api-keys.ts';
export { storeKeyAdministration } from './capability.ts';
