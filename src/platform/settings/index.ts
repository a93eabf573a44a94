export { insertOnce } from './repository.ts';
export { get, list, type SettingChange, type SettingView, set, unset } from './settings.ts';
export { createSettingsStore, pinName, type SettingsStore } from './store.ts';
