/**
 * Content-Disposition of a download (D92; RFC 6266): the name in ASCII for old clients, and as it is for the others.
 *
 * @param filename any text: line ends and quotes cannot leave their place
 */
export function attachment(filename: string): string {
  const ascii = filename.replaceAll(/[^A-Za-z0-9 ._+~()-]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeValue(filename)}`;
}

/** RFC 8187 allows less than encodeURIComponent leaves. */
const encodeValue = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
