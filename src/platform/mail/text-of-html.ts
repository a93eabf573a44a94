const NAMED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/** Ends of these begin a new line. */
const BREAKS = /^(?:br|\/p|\/div|\/tr|\/li|\/h[1-6]|\/table)\b/;
const GAPS = /^\/t[dh]\b/;

/**
 * What HTML that code made says as text: for those who read mails without HTML. It goes from one tag to the next, in a
 * time that grows with the length alone.
 */
export function textOfHtml(html: string): string {
  const [first = '', ...tags] = html.replaceAll('\n', ' ').split('<');
  let link = '';
  const rest = tags.map((piece) => {
    const end = piece.indexOf('>');
    const tag = piece.slice(0, end === -1 ? undefined : end);
    const text = end === -1 ? '' : piece.slice(end + 1);
    if (tag.startsWith('a ')) link = /href="(https?:[^"]+)"/.exec(tag)?.[1] ?? '';
    if (tag.startsWith('/a') && link !== '') {
      const shown = ` (${link})${text}`;
      link = '';
      return shown;
    }
    if (BREAKS.test(tag)) return `\n${text}`;
    return GAPS.test(tag) ? `  ${text}` : text;
  });
  return [first, ...rest]
    .join('')
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => NAMED[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
