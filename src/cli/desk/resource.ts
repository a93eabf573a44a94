import type { Resource } from '#platform/admin/index.ts';
import type { Twins } from './open.ts';

/** The operations of resources, for `withDesk`. @param load what declares them, when the command runs */
export const twinsOf =
  (load: () => Promise<readonly Resource[]>): Twins =>
  async () =>
    (await load()).flatMap((resource) => resource.endpoints('license-admin'));
