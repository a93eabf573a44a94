import { invalidField } from '#kernel/service/errors.ts';

/** Marks of one paragraph, list or table that may begin or end emphasis: each end is looked for among all begins. */
const MOST_MARKS = 2000;
const MARKS = /[*_~]+/g;
const BLANK_LINE = /\n[ \t]*\n/;

/** Quotes and lists in quotes and lists. */
const MOST_DEEP = 50;
const TOO_DEEP = new RegExp(`^(?:[ \\t]*(?:>|[*+-][ \\t]|\\d{1,9}[.)][ \\t])){${MOST_DEEP + 1}}`, 'm');
const DEEP = `nests quotes or lists deeper than ${MOST_DEEP} levels; write them with fewer`;

/**
 * Markdown of staff as HTML, which is not clean yet.
 *
 * @throws AppError VALIDATION_ERROR for what takes the renderer seconds, in which the server answers nobody: 25,000 of `_a_b`
 *   took it sixteen
 */
export async function htmlOf(markdown: string): Promise<string> {
  if (TOO_DEEP.test(markdown)) throw invalidField('body_markdown', DEEP);
  for (const part of markdown.split(BLANK_LINE)) {
    const marks = part.match(MARKS)?.length ?? 0;
    if (marks > MOST_MARKS)
      throw invalidField(
        'body_markdown',
        `has ${marks} of the marks * _ ~ in one paragraph, list or table, more than ${MOST_MARKS}; put blank lines between its parts`,
      );
  }
  const { uncleanHtml } = await import('#kernel/views/markdown.ts');
  try {
    return uncleanHtml(markdown);
  } catch (error) {
    // The renderer calls itself for each level of lists, which indentation makes too.
    throw error instanceof RangeError ? invalidField('body_markdown', DEEP) : error;
  }
}
