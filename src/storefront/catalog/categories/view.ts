import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ImageView, imageOfMedia } from '#storefront/contract/picture.ts';
import type { Category } from './record.ts';
import type { PicturedCategory, ShownCategory } from './shop.ts';

const Shown = {
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  slug: z.string(),
  path: z.string(),
  position: count(),
  description: z.string().nullable(),
  media_id: z.string().nullable(),
  seo: z.object({ title: z.string().nullable(), description: z.string().nullable() }),
  created_at: instant(),
  updated_at: instant(),
};

/** A category as staff see it. */
export const StoreCategoryView = z.object(Shown).meta({ id: 'StoreCategory' });
export type StoreCategory = z.output<typeof StoreCategoryView>;

export const storeCategoryView = (category: Category): z.output<typeof StoreCategoryView> => ({
  id: category.id,
  parent_id: category.parentId,
  name: category.name,
  slug: category.slug,
  path: category.path,
  position: category.position,
  description: category.description,
  media_id: category.mediaId,
  seo: { title: category.seoTitle, description: category.seoDescription },
  created_at: category.createdAt,
  updated_at: category.updatedAt,
});

const ShopShown = {
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  slug: z.string(),
  path: z.string(),
  description: z.string().nullable(),
  image: ImageView.nullable(),
};

/** A category as the shop shows it, with what is under it. */
export interface CategoryShown {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly slug: string;
  readonly path: string;
  readonly description: string | null;
  readonly image: z.output<typeof ImageView> | null;
  readonly children: CategoryShown[];
}

export const CategoryView: z.ZodType<CategoryShown> = z
  .object({
    ...ShopShown,
    get children(): z.ZodArray<z.ZodType<CategoryShown>> {
      return z.array(CategoryView);
    },
  })
  .meta({ id: 'Category' });
const Step = z.object({ name: z.string(), slug: z.string() });

/** A category as its page shows it. */
export const CategoryPageView = later(() =>
  z
    .object({
      ...ShopShown,
      seo: Shown.seo,
      breadcrumbs: z.array(Step),
      children: z.array(z.object(ShopShown)),
      product_count: count(),
    })
    .meta({ id: 'CategoryPage' }),
);

const shopShown = ({ id, parentId, name, slug, path, description, media }: PicturedCategory) => ({
  id,
  parent_id: parentId,
  name,
  slug,
  path,
  description,
  image: media && imageOfMedia(media, media.alt),
});

/** Categories by their places, as a tree. */
export function categoryTree(
  all: readonly PicturedCategory[],
  parentId: string | null = null,
): CategoryShown[] {
  const here = all.filter((one) => one.parentId === parentId);
  return here.map((one) => ({ ...shopShown(one), children: categoryTree(all, one.id) }));
}

export const categoryPageView = ({
  category,
  breadcrumbs,
  children,
  productIds,
}: ShownCategory): z.output<typeof CategoryPageView> => ({
  ...shopShown(category),
  seo: { title: category.seoTitle, description: category.seoDescription },
  breadcrumbs: breadcrumbs.map(({ name, slug }) => ({ name, slug })),
  children: children.map(shopShown),
  product_count: productIds.size,
});
