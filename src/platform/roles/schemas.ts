import { z } from 'zod';
import { oneOf } from '#kernel/http/fields.ts';
import { slugField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PERMISSIONS, type Permission } from '../permissions/index.ts';

const MOST_IDS = 1000;

const permission = () => oneOf(PERMISSIONS as readonly [Permission, ...Permission[]]);

/** Input that creates a role: a name like `night-shift`, and any of the permissions (admin.md 6.2). */
export const RoleCreate = later(() =>
  z.strictObject({
    name: slugField(),
    permissions: z.array(permission(), { error: 'must be a list' }).max(PERMISSIONS.length),
  }),
);
export type RoleCreateInput = z.output<typeof RoleCreate>;

/** Input that changes a role: absent leaves a field, a list of permissions replaces the one before. */
export const RoleUpdate = later(() => RoleCreate.partial());
export type RoleUpdateInput = z.output<typeof RoleUpdate>;

const refs = () => z.array(z.string().min(1).max(30)).max(MOST_IDS).optional();

/** Ids of the rows that somebody is confined to, by kind; a kind that is absent confines to nothing. */
export const ScopesInput = later(() =>
  z.strictObject({ tenant: refs(), license_product: refs(), vendor: refs() }),
);
