import type { LocalPart } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import type { Setting } from '#kernel/settings.ts';
import { tenantEvents } from '#platform/tenants/index.ts';
import { defaultKeyFormat } from './default-format.ts';

export const keyFormatsLocal = {
  name: 'key-formats',
  settings: [defaultKeyFormat as Setting],
  subscribers: [
    on(tenantEvents, 'TENANT_UPDATED', async (ctx, event) => {
      const { requireOwnFormat } = await import('./tenant.ts');
      await requireOwnFormat(ctx, event);
    }),
  ],
} satisfies LocalPart;
