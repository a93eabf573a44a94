import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import type { Category } from './record.ts';

const Shown = {
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  slug: z.string(),
  path: z.string(),
  position: count(),
  description: z.string().nullable(),
  seo: z.object({ title: z.string().nullable(), description: z.string().nullable() }),
  created_at: z.string(),
  updated_at: z.string(),
};

/** A category as staff see it. */
export const StoreCategoryView = z.object(Shown).meta({ id: 'StoreCategory' });

export const storeCategoryView = (category: Category): z.output<typeof StoreCategoryView> => ({
  id: category.id,
  parent_id: category.parentId,
  name: category.name,
  slug: category.slug,
  path: category.path,
  position: category.position,
  description: category.description,
  seo: { title: category.seoTitle, description: category.seoDescription },
  created_at: category.createdAt,
  updated_at: category.updatedAt,
});
