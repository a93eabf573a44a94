import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

export const SAMPLE_KINDS = ['menu', 'page', 'product', 'collection', 'category', 'media'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** What the sample data has made, to take away again what nobody has changed (issue 15, item 8). */
export const sampleRecord = record('sample_items', {
  /** Of the thing itself. */
  id: column.text(30, 1),
  kind: column.choice(SAMPLE_KINDS),
  /** Its slug; of a picture the name of its file. */
  slug: column.text(255, 1),
  /** In which state it was left: its version, or when it was changed last. */
  mark: column.text(500),
  createdAt: column.time(),
});
export type SampleItem = ValuesOf<typeof sampleRecord>;
