import type { IOptions } from 'sanitize-html';

/** Beside those that the library allows by itself. */
const MORE_TAGS = ['h1', 'h2', 'img', 'del', 'ins', 'details', 'summary'];

const options: IOptions = {
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    ol: ['start'],
    details: ['open'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  transformTags: {
    // A page that is opened in another window must not reach back into the shop.
    a: (tagName, { rel: _rel, target, ...attribs }) => ({
      tagName,
      attribs: target === '_blank' ? { ...attribs, target, rel: 'noopener' } : attribs,
    }),
  },
};

/**
 * The HTML that staff may publish: text, lists, tables, links and images; no script, no style, no frame, no handler.
 *
 * @returns what is left, which the same call leaves as it is
 */
export async function cleanHtml(html: string): Promise<string> {
  // With the first text: its parsers take 18 MB, which a server that sells licenses alone does not need.
  const { default: sanitize } = await import('sanitize-html');
  const allowedTags = [...sanitize.defaults.allowedTags, ...MORE_TAGS];
  return sanitize(html, { ...options, allowedTags }).trim();
}
