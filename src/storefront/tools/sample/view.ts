import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { TaskProgress } from '#platform/jobs/index.ts';

const Counts = {
  products: count(),
  collections: count(),
  categories: count(),
  pictures: count(),
  /** Written pages, such as terms. */
  pages: count(),
  /** Those of the header and of the footer. */
  menus: count(),
};

/** What of the sample data is in the shop. */
export const SampleView = later(() =>
  z
    .object({
      ...Counts,
      /** The task that loads it, or that did so last; null when nobody asked for it lately. */
      task: TaskProgress.nullable(),
    })
    .meta({ id: 'SampleData' }),
);
export type SampleShown = z.output<typeof SampleView>;

/** What was taken away of the sample data, and what was kept. */
export const SampleRemovedView = later(() =>
  z
    .object({
      removed: z.object(Counts),
      kept: z.array(z.object({ kind: z.string(), slug: z.string(), reason: z.string() })),
    })
    .meta({ id: 'SampleDataRemoved' }),
);
export type SampleRemoved = z.output<typeof SampleRemovedView>;
