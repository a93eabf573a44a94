import { capability } from '#kernel/capability.ts';
import { preferencePages } from './pages.ts';
import { preferencesRecord } from './record.ts';

/** What members of staff choose for themselves. */
export const preferences = capability({
  name: 'preferences',
  records: [preferencesRecord],
  pages: preferencePages,
});
