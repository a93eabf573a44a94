import { capability } from '#kernel/capability.ts';
import { keyFormatEvents } from './events.ts';
import { keyFormatsLocal } from './local.ts';
import { keyFormatPages } from './pages.ts';
import { keyFormatRecord } from './record.ts';
import { keyFormatResource } from './resource.ts';

/** How license keys are drawn. */
export const keyFormats = capability({
  ...keyFormatsLocal,
  events: [keyFormatEvents],
  records: [keyFormatRecord],
  resources: [keyFormatResource],
  pages: keyFormatPages,
});
