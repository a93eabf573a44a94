import { z } from 'zod';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { MOST_DAYS, MOST_DOWNLOADS } from './record.ts';

export const MOST_FILES = 50;

const terms = {
  name: optional(text({ min: 1, max: 255, trim: true })),
  maxDownloads: optional(integer(1, MOST_DOWNLOADS)),
  expiresDays: optional(integer(1, MOST_DAYS)),
};

/** What is said of an uploaded file; its own name when none is sent. */
export const FileTerms = z.strictObject(terms);
export type FileTermsInput = z.output<typeof FileTerms>;

/** The newest release of a channel as a file. */
export const ReleaseFile = later(() =>
  z.strictObject({
    ...terms,
    releaseChannel: text({
      min: 1,
      max: 30,
      form: { pattern: /^[a-z][a-z0-9-]*$/, says: 'the name of a release channel such as stable' },
    }),
  }),
);
export type ReleaseFileInput = z.output<typeof ReleaseFile>;
