/**
 * What an SVG may be made of. No script, no picture from elsewhere, no foreign content, and no animation: one could
 * give an element the address that it was not allowed to have.
 */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath style switch ' +
    'linearGradient radialGradient stop pattern clipPath mask marker view filter feBlend feColorMatrix ' +
    'feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow ' +
    'feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight ' +
    'feSpecularLighting feSpotLight feTile feTurbulence a'
  ).split(' '),
);

export const isKeptElement = (name: string): boolean => ELEMENTS.has(name);

/** The two of its own namespaces; others belong to programs that draw. */
const NAMESPACES: Record<string, string> = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
};

/** Whether an attribute of an element stays. */
export function isKeptAttribute(element: string, name: string, value: string): boolean {
  if (name in NAMESPACES) return NAMESPACES[name] === value;
  if (name === 'href' || name === 'xlink:href') return element !== 'a' && /^#[\w.:-]+$/.test(value);
  // Every other prefix is a drawing program's, except the two of XML that say nothing but how to read.
  if (name.includes(':')) return name === 'xml:space' || name === 'xml:lang';
  return !/^on/i.test(name) && isKeptStyle(value);
}

/** Addresses lead to parts of the drawing only; what escapes could hide is not read at all. */
export const isKeptStyle = (text: string): boolean =>
  !/[\\<]|@import|@charset|@namespace|@font-face|expression\s*\(|javascript:|-moz-binding|image-set\s*\(|src\s*\(/i.test(
    text,
  ) &&
  [...text.matchAll(/url\s*\(\s*(['"]?)([^)]*)/gi)].every(([, , address = '']) =>
    address.trimStart().startsWith('#'),
  );

/** ` name="value"`, written so that every parser reads the same. */
export const attributeText = ([name, value]: readonly [string, string]): string => {
  const escaped = value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (one) => `&#${one.charCodeAt(0)};`);
  return ` ${name}="${escaped}"`;
};
