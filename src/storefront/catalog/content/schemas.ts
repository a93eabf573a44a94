import { z } from 'zod';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { slugField } from '#kernel/service/fields.ts';
import { MOST_BODY, PAGE_STATUSES } from './record.ts';

const title = () => text({ min: 1, max: 255, trim: true });
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();

const shape = {
  title: title(),
  slug: optional(slugField()),
  /** The text is written in one of the two. */
  bodyHtml: optional(text({ max: MOST_BODY })),
  bodyMarkdown: optional(text({ max: MOST_BODY })),
  status: optional(oneOf(PAGE_STATUSES)),
  seoTitle: orNull(text({ max: 255 })),
  seoDescription: orNull(text({ max: 500 })),
};

/** Input that creates a page: a draft without `status`. */
export const PageCreate = z.strictObject(shape);
export type PageCreateInput = z.output<typeof PageCreate>;

/** Input that changes a page: absent leaves a field, null clears one that may be empty. */
export const PageUpdate = z.strictObject({
  ...shape,
  title: optional(title()),
});
export type PageUpdateInput = z.output<typeof PageUpdate>;
