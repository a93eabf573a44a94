import sanitize from 'sanitize-html';

const options: sanitize.IOptions = {
  allowedTags: [...sanitize.defaults.allowedTags, 'h1', 'h2', 'img', 'del', 'ins', 'details', 'summary'],
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
export const cleanHtml = (html: string): string => sanitize(html, options).trim();
