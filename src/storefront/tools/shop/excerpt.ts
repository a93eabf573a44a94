const CHARACTERS = 160;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
};

/** The beginning of the text of HTML, as a search engine shows it; null when it says nothing. */
export function excerptOf(html: string | null): string | null {
  const text = (html ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name) => ENTITIES[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = [...text].slice(0, CHARACTERS).join('');
  return short === '' ? null : short;
}
