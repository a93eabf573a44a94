export { insertOnce } from './repository.ts';
export { apply, get, list, set, setSeveral, unset } from './settings.ts';
export { createSettingsStore, pinName, type SettingsStore } from './store.ts';
