export { settingEvents } from './events.ts';
export { insertOnce, upsert } from './repository.ts';
export {
  apply,
  choicesOf,
  get,
  list,
  noteChange,
  refresh,
  revise,
  set,
  setSeveral,
  setTexts,
  unset,
} from './settings.ts';
export { changeIn, inputOf, linesOf, textOf, written } from './shown.ts';
export { createSettingsStore, pinName, type SettingsStore } from './store.ts';
export type { SettingView } from './view.ts';
