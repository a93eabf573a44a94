import { change, defineEvents } from '#kernel/events.ts';
import { adminTokenRecord } from './record.ts';

interface Named {
  name: string;
  role: string;
}

/** What happens to admin tokens. */
export const adminTokenEvents = defineEvents(
  'platform',
  {
    ADMIN_TOKEN_CREATED: change<Named & { tenantId: string | null; expiresAt: string | null }>(),
    ADMIN_TOKEN_REVOKED: change<Named>(),
  },
  { target: 'admin-tokens', record: adminTokenRecord },
);
