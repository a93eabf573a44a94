/** Request fields that every API of ours has. */
import { text } from '../http/fields.ts';

/** An id of the service: prefix, `_` and a ULID, 30 characters (D25). */
export const idField = () => text({ min: 1, max: 30 });

const SLUG = { max: 63, form: /^[a-z0-9]+(?:-[a-z0-9]+)*$/ };

/** A slug: lower-case words of letters and digits joined by single hyphens, at most 63 characters (8.2). */
export const slugField = () =>
  text({
    min: 1,
    max: SLUG.max,
    form: { pattern: SLUG.form, says: 'lower-case letters and digits, joined by single hyphens' },
  });

/** Whether a text can be the slug of anything: what cannot need not be looked for. */
export const isSlug = (text: string): boolean => text.length <= SLUG.max && SLUG.form.test(text);
