export { of } from './preferences.ts';
export type { Preferences } from './record.ts';
