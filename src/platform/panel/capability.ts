import { type Capability, capability } from '#kernel/capability.ts';
import type { Resource } from '../admin/index.ts';
import { around } from './navigation.ts';
import { PANEL } from './screens/list-page.ts';
import { screenPages } from './screens/pages.ts';
import { hearBeats } from './screens/presence.ts';
import { desksOf } from './screens/registry.ts';
import { searchPage } from './search-page.ts';
import { tenantPage } from './tenant-page.ts';
import type { WaitsFor } from './waiting.ts';

/**
 * The panel in the browser: the pages of everything that staff works with, made of what resources declare (admin.md 1.3).
 *
 * @param resources in the order in which the navigation shows them
 * @param waits what the bar says that there is to do
 */
export function panel(resources: readonly Resource[], waits: readonly WaitsFor[]): Capability {
  const desks = desksOf(resources);
  return capability({
    name: 'panel',
    pages: [tenantPage, searchPage(resources, desks), ...screenPages(desks)],
    layouts: { [PANEL]: around(desks, waits) },
    start: async (ctx) => hearBeats(ctx),
  });
}
