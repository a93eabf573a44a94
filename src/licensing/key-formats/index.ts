export { alternativeKey, canonicalKey, keyPrefix, keyShape, maskKey } from './canonical.ts';
