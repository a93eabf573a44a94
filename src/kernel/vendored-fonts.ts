/** Fonts of documents, with Latin, Greek and Cyrillic letters: files of a package, which the executable holds as assets. */
export const FONT_FILES: Readonly<Record<'regular' | 'bold', string>> = {
  regular: 'node_modules/notosans-fontface/fonts/NotoSans-Regular.ttf',
  bold: 'node_modules/notosans-fontface/fonts/NotoSans-Bold.ttf',
};
