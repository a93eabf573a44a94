export { type Product, shopProductRecord, type Variant, variantRecord } from './record.ts';
