import { nodes } from '../packaging/nodes.ts';
import { prepared, testPage } from './run-page.ts';

// The second time there is no token to import: the first one was kept.
const again = nodes
  .map(({ path }) => `"${path}" air-gap.js | grep "unlocked by offline-token until"`)
  .join('\n');

testPage('offline-licenses', { serve: [], after: prepared, around: { after: again } });
