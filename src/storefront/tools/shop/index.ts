export { productHref } from './cards.ts';
export { secretPage, shopPage } from './frame.ts';
export { type Crumb, seoOf } from './seo.ts';
export { languageHead, type ShopWords, wordsOf } from './words.ts';
