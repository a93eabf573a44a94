import { capability } from '#kernel/capability.ts';
import {
  optionRecord,
  optionValueRecord,
  relationRecord,
  shopProductRecord,
  slugRedirectRecord,
  tagRecord,
  variantRecord,
  variantValueRecord,
} from './record.ts';

/** What the shop sells: products with their options and variants. */
export const shopProducts = capability({
  name: 'shop-products',
  records: [
    shopProductRecord,
    variantRecord,
    optionRecord,
    optionValueRecord,
    variantValueRecord,
    tagRecord,
    relationRecord,
    slugRedirectRecord,
  ],
});
