import { z } from 'zod';
import { optional, text } from '#kernel/http/fields.ts';
import { idField, slugField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';

export const TENANT_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];

/** Host names of one tenant. */
export const MOST_HOSTNAMES = 50;

/** A host name as a browser sends it: lower case, no port (licensing 8.2). */
const hostname = () =>
  text({
    min: 1,
    max: 253,
    form: {
      pattern:
        /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
      says: 'a lowercase host name, without scheme and port, like keys.example.com',
    },
  });

const shape = {
  slug: slugField(),
  name: text({ min: 1, max: 255 }),
  hostnames: z.array(hostname(), { error: 'must be a list' }).max(MOST_HOSTNAMES, {
    error: `must hold at most ${MOST_HOSTNAMES} host names`,
  }),
};

/** Input that creates a tenant (licensing 4.2). */
export const TenantCreate = later(() => z.strictObject({ ...shape, hostnames: optional(shape.hostnames) }));
export type TenantCreateInput = z.output<typeof TenantCreate>;

/** Input that changes a tenant: absent leaves a field, null clears the key format. */
export const TenantUpdate = later(() =>
  z.strictObject({ ...shape, defaultKeyFormatId: idField().nullable() }).partial(),
);
export type TenantUpdateInput = z.output<typeof TenantUpdate>;
