import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { setting } from '#kernel/settings.ts';
import type { StoredKeyFormat } from './record.ts';
import * as repo from './repository.ts';

/** Format of the keys of products and tenants that name none (D56); null is the built-in one. */
export const defaultKeyFormat = setting<string | null>({
  key: 'licensing.default_key_format',
  group: 'licensing',
  description:
    'Name or ID of the default key format for products and tenants without one; null is the built-in format APP',
  schema: () => z.string().min(1).max(100).nullable(),
  default: null,
  check: async (ctx, named) => {
    if (named !== null) await repo.get(ctx, named);
  },
});

/** The format that the setting names, or null: it names none, or none of this tenant. */
export const findDefault = async (ctx: Ctx): Promise<StoredKeyFormat | null> => {
  const named = ctx.settings.get(defaultKeyFormat);
  return named === null ? null : repo.find(ctx, named);
};

/** Whether the setting means this format. */
export function isDefault(ctx: Ctx, { id, name }: StoredKeyFormat): boolean {
  const named = ctx.settings.get(defaultKeyFormat);
  return named === id || named === name;
}
