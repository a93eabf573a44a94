export { insertOnce } from './repository.ts';
export { apply, choicesOf, get, list, refresh, set, setSeveral, setTexts, unset } from './settings.ts';
export { createSettingsStore, pinName, type SettingsStore } from './store.ts';
export type { SettingView } from './view.ts';
