export { alternativeKey, canonicalKey, keyPrefix, keyShape, maskKey, maskUnseen } from './canonical.ts';
export { defaultKeyFormat } from './default-format.ts';
export { DEFAULT_KEY_FORMAT, type KeyFormat } from './format.ts';
export { checksumHolds, generateKey } from './generate.ts';
export {
  create,
  find,
  formatOf,
  get,
  type KeyFormatPreview,
  type KeyFormatUpdateInput,
  list,
  preview,
  previewOf,
  remove,
  update,
} from './key-formats.ts';
export { keyFormatRecord, type StoredKeyFormat } from './record.ts';
export type { KeyFormatCreateInput } from './schemas.ts';
