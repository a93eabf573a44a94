import { z } from 'zod';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { idField, slugField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';

const name = () => text({ min: 1, max: 255, trim: true });
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();

/** Input that creates a category: at the top without `parentId`, last without `position`. */
export const CategoryCreate = later(() =>
  z.strictObject({
    name: name(),
    slug: optional(slugField()),
    parentId: orNull(idField()),
    position: optional(integer(0, 10_000)),
    description: orNull(text({ max: 5000 })),
    /** A picture of the library. */
    mediaId: orNull(idField()),
    seoTitle: orNull(text({ max: 255 })),
    seoDescription: orNull(text({ max: 500 })),
  }),
);
export type CategoryCreateInput = z.output<typeof CategoryCreate>;

/** Input that changes or moves a category: absent leaves a field, null clears it; of `parentId` null is the top. */
export const CategoryUpdate = later(() =>
  z.strictObject({ ...CategoryCreate.shape, name: optional(name()) }),
);
export type CategoryUpdateInput = z.output<typeof CategoryUpdate>;
