import type { Knex } from '#kernel/db/database.ts';

/**
 * Columns that say what a user holds. Sub-selects, so that the row stays one and a request asks once: joins would
 * multiply roles by permissions by scopes.
 *
 * @param user column with the id of the user
 */
export const heldColumns = (q: Knex, user: string): Knex.Raw[] => [
  q.raw(
    `(SELECT string_agg(hr.name, ' ') FROM admin_user_roles ha JOIN roles hr ON hr.id = ha.role_id
      WHERE ha.admin_user_id = ??) AS held_roles`,
    [user],
  ),
  q.raw(
    `(SELECT string_agg(hp.permission, ' ') FROM admin_user_roles ha JOIN role_permissions hp ON hp.role_id = ha.role_id
      WHERE ha.admin_user_id = ??) AS held_permissions`,
    [user],
  ),
  q.raw(
    `(SELECT string_agg(hs.kind || ':' || hs.ref_id, ' ') FROM admin_user_scopes hs
      WHERE hs.admin_user_id = ??) AS held_scopes`,
    [user],
  ),
];

/** Column `role_permissions`: what one of the installation's own roles holds, by the column with its name. */
export const permissionsColumn = (q: Knex, role: string): Knex.Raw =>
  q.raw(
    `(SELECT string_agg(hp.permission, ' ') FROM role_permissions hp JOIN roles hr ON hr.id = hp.role_id
      WHERE hr.name = ??) AS role_permissions`,
    [role],
  );
