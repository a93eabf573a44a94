import { capability } from '#kernel/capability.ts';
import { settingsEndpoints } from './admin-endpoints.ts';
import { settingEvents } from './events.ts';
import { settingPages } from './pages.ts';

/** What an operator changes while the program runs. */
export const settings = capability({
  name: 'settings',
  events: [settingEvents],
  adminEndpoints: settingsEndpoints,
  pages: settingPages,
});
